import { fromBase64 } from '../../base/base64.ts'
import type { TextAttribute, TextEvent } from '../../cosmos/results/textEvent.ts'
import { listOf, objectOf, textOf } from './json.ts'
import { UpstreamFault } from './upstreamFault.ts'

const maxEvents = 1_000_000
const maxAttributes = 100_000
const maxTypeLength = 1_024
const maxValueLength = 16 * 1024 * 1024

const attributeText = (value: unknown, where: string): string =>
  value === null || value === undefined ? '' : textOf(value, where, maxValueLength)

const parseAttribute = (value: unknown): TextAttribute => {
  const attribute = objectOf(value, 'an attribute of an event')
  return {
    key: attributeText(attribute.key, 'the key of an attribute'),
    value: attributeText(attribute.value, 'the value of an attribute'),
  }
}

export const parseEvents = (value: unknown, where: string): readonly TextEvent[] =>
  listOf(value, where, maxEvents).map((entry) => {
    const event = objectOf(entry, `an event of ${where}`)
    return {
      type: textOf(event.type, `the type of an event of ${where}`, maxTypeLength),
      attributes: listOf(event.attributes, `the attributes of an event of ${where}`, maxAttributes).map(
        parseAttribute,
      ),
    }
  })

const isPrintable = /^[\x20-\x7e]+$/

/**
 * Whether keys and values are base64, as up to CometBFT 0.34: the answer does not say so. Then every key is base64 of
 * words; of a key that stands as it is (`amount`, `mode`) hardly one is, and never all.
 */
export const areEncoded = (lists: Iterable<readonly TextEvent[]>): boolean => {
  let some = false
  for (const events of lists)
    for (const { attributes } of events)
      for (const { key } of attributes) {
        const bytes = fromBase64(key)
        if (bytes === undefined || !isPrintable.test(Buffer.from(bytes).toString('latin1'))) return false
        some = true
      }
  return some
}

const decodeText = (text: string): string => {
  const bytes = fromBase64(text)
  if (bytes === undefined) throw new UpstreamFault('the value of an attribute is not base64')
  return Buffer.from(bytes).toString('utf8')
}

export const decodeEvents = (events: readonly TextEvent[]): readonly TextEvent[] =>
  events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value }) => ({ key: decodeText(key), value: decodeText(value) })),
  }))
