import { fromBase64 } from '../../base/encoding/base64.ts'
import { decodeUtf8 } from '../../base/encoding/utf8.ts'
import type { TextAttribute, TextEvent } from '../../cosmos/results/textEvent.ts'
import { parseList, parseObject, parseText } from './fields.ts'
import { UpstreamError } from './upstreamError.ts'

const maxEvents = 1_000_000
const maxAttributes = 100_000
const maxTypeLength = 1_024
const maxValueLength = 16 * 1024 * 1024

const attributeText = (value: unknown, where: string): string =>
  value === null || value === undefined ? '' : parseText(value, where, maxValueLength)

const parseAttribute = (value: unknown): TextAttribute => {
  const attribute = parseObject(value, 'an attribute of an event')
  return {
    key: attributeText(attribute.key, 'the key of an attribute'),
    value: attributeText(attribute.value, 'the value of an attribute'),
  }
}

export const parseEvents = (value: unknown, where: string): readonly TextEvent[] =>
  parseList(value, where, maxEvents).map((entry) => {
    const event = parseObject(entry, `an event of ${where}`)
    return {
      type: parseText(event.type, `the type of an event of ${where}`, maxTypeLength),
      attributes: parseList(event.attributes, `the attributes of an event of ${where}`, maxAttributes).map(
        parseAttribute,
      ),
    }
  })

const isPrintable = (bytes: Uint8Array): boolean =>
  bytes.length > 0 && bytes.every((byte) => byte >= 0x20 && byte <= 0x7e)

/**
 * Returns whether keys and values are base64, as up to CometBFT 0.34; the reply does not say so. If they are, every key
 * decodes to a word; of plain keys (`amount`, `mode`) hardly one does, and never all.
 */
export const areAttributesBase64 = (lists: Iterable<readonly TextEvent[]>): boolean => {
  let some = false
  for (const events of lists)
    for (const { attributes } of events)
      for (const { key } of attributes) {
        const bytes = fromBase64(key)
        if (bytes === undefined || !isPrintable(bytes)) return false
        some = true
      }
  return some
}

const decodeText = (text: string): string => {
  const bytes = fromBase64(text)
  if (bytes === undefined) throw new UpstreamError('the value of an attribute is not base64')
  return decodeUtf8(bytes)
}

export const decodeEvents = (events: readonly TextEvent[]): readonly TextEvent[] =>
  events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value }) => ({ key: decodeText(key), value: decodeText(value) })),
  }))
