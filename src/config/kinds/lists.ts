import { isIPv4, isIPv6 } from 'node:net'
import type { TomlValue } from 'smol-toml'
import {
  integerOrString,
  type Kind,
  printable,
  quote,
  type Read,
  stringOnly,
  type TextParser,
} from './kind.ts'

/** A list of what `item` reads. No item can contain a comma, because flags are separated by it. */
export const listOf = <T>(options: {
  readonly label: string
  readonly wanted: string
  readonly item: TextParser<T>
  readonly show: (item: T) => string
}): Kind<readonly T[]> => {
  const all = (parts: readonly TomlValue[]): Read<readonly T[]> => {
    const items: T[] = []
    for (const part of parts) {
      const read = integerOrString((text) => options.item(text.trim()))(part)
      if (read === undefined) return undefined
      items.push(read.value)
    }
    return { value: items }
  }
  const fromText: TextParser<readonly T[]> = (text) =>
    text.trim() === '' ? { value: [] } : all(text.split(','))
  return {
    label: options.label,
    wanted: options.wanted,
    fromText,
    fromToml: (value) => (Array.isArray(value) ? all(value) : stringOnly(fromText)(value)),
    // Programs may pass an item as its text, whatever the type says.
    toToml: (items) =>
      `[${items.map((item) => quote(typeof item === 'string' ? item : options.show(item))).join(', ')}]`,
  }
}

const matching =
  (pattern: RegExp): TextParser<string> =>
  (value) =>
    pattern.test(value) && /^[^\s,]+$/.test(value) && printable.test(value) ? { value } : undefined

interface ListOptions {
  readonly item: RegExp
  readonly wanted: string
  /** A further condition. */
  readonly isValid?: (item: string) => boolean
}

/** A list of texts that match `item`. No item can contain a comma, because flags are separated by it. */
export const list = ({ item, wanted, isValid = () => true }: ListOptions): Kind<readonly string[]> => {
  const read = matching(item)
  return listOf({
    label: 'list',
    wanted,
    item: (text) => (isValid(text) ? read(text) : undefined),
    show: String,
  })
}

/** A list of some of the known names. */
export const namesOf = (known: readonly string[], wanted: string): Kind<readonly string[]> => ({
  ...listOf({
    label: 'list',
    wanted,
    item: (value) => (known.includes(value) ? { value } : undefined),
    show: String,
  }),
  rule: `there are ${known.join(', ')}`,
})

/** Peers of CometBFT. They are one comma-separated text, here and in its configuration. */
export const peers = (): Kind<readonly string[]> =>
  peerTexts('id@host:port, separated by commas', /^(?:tcp:\/\/)?[0-9a-fA-F]{40}@[^@/]+:\d{1,5}$/)

/** Ids of peers of CometBFT. */
export const peerIds = (): Kind<readonly string[]> =>
  peerTexts('ids of nodes, separated by commas', /^[0-9a-fA-F]{40}$/)

const peerTexts = (wanted: string, pattern: RegExp): Kind<readonly string[]> => {
  const item = matching(pattern)
  const { fromText } = listOf({ label: 'text', wanted, item, show: String })
  return {
    label: 'text',
    wanted,
    rule: 'an id is 40 hex digits',
    fromText: (given) => fromText(given.replace(/,+$/, '')),
    fromToml: stringOnly((given) => fromText(given.replace(/,+$/, ''))),
    toToml: (items) => quote(items.join(',')),
  }
}

export interface Cidr {
  readonly address: string
  readonly prefix: number
  readonly family: 'ipv4' | 'ipv6'
}

const parseCidr: TextParser<Cidr> = (text) => {
  const [, address = '', digits] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const bits = isIPv4(address) ? 32 : isIPv6(address) ? 128 : undefined
  if (bits === undefined) return undefined
  const prefix = digits === undefined ? bits : Number(digits)
  if (prefix > bits) return undefined
  return { value: { address, prefix, family: bits === 32 ? 'ipv4' : 'ipv6' } }
}

export const cidrs = (): Kind<readonly Cidr[]> =>
  listOf({
    label: 'cidrs',
    wanted: 'IP addresses or networks such as 10.0.0.0/8,::1',
    item: parseCidr,
    show: ({ address, prefix }) => `${address}/${prefix}`,
  })
