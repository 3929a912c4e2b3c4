import { isIPv4, isIPv6 } from 'node:net'
import type { TomlValue } from 'smol-toml'
import { scaled, withUnit } from './units.ts'

/** A value that was read, or undefined for one that is not of the kind (undefined itself can be a value). */
type Read<T> = { readonly value: T } | undefined

/** How one kind of setting is read and written. Integers of a TOML file arrive as bigint, so 5 and 5.0 differ. */
export interface Kind<T> {
  /** One word for the place of the value in the help text. */
  readonly label: string
  /** What a right value looks like; ends the sentence "wanted …". */
  readonly wanted: string
  /** What a flag without a value says; absent where it needs one. */
  readonly alone?: string
  readonly fromText: (text: string) => Read<T>
  readonly fromToml: (value: TomlValue) => Read<T>
  readonly toToml: (value: T) => string
}

/** The type of the values that a kind reads. */
export type ValueOf<K> = K extends Kind<infer T> ? T : never

type TextReader<T> = (text: string) => Read<T>

/** JSON's escapes are TOML's for every text that `printable` lets through. */
const quote = (text: string): string => JSON.stringify(text)

/** Control characters and halves of surrogate pairs have no place in a path or name, nor in a TOML string. */
const printable = /^[^\p{Cc}\p{Cs}]*$/u

const stringOnly =
  <T>(fromText: TextReader<T>) =>
  (value: TomlValue): Read<T> =>
    typeof value === 'string' ? fromText(value) : undefined

const integerOrString =
  <T>(fromText: TextReader<T>) =>
  (value: TomlValue): Read<T> =>
    typeof value === 'string' || typeof value === 'bigint' ? fromText(String(value)) : undefined

const within = (value: number | undefined, min: number, max: number): Read<number> =>
  value !== undefined && value >= min && value <= max ? { value } : undefined

export const boolean = (): Kind<boolean> => ({
  label: 'boolean',
  wanted: 'true or false',
  alone: 'true',
  fromText: (text) => {
    if (text === 'true' || text === '1') return { value: true }
    if (text === 'false' || text === '0') return { value: false }
    return undefined
  },
  fromToml: (value) => (typeof value === 'boolean' ? { value } : undefined),
  toToml: String,
})

/** True, false, or left to what else is set. */
export const autoBoolean = (): Kind<boolean | undefined> => {
  const fromText: TextReader<boolean | undefined> = (text) =>
    text === 'auto' ? { value: undefined } : boolean().fromText(text)
  return {
    ...boolean(),
    wanted: 'true, false or auto',
    fromText,
    fromToml: (value) => (typeof value === 'string' ? fromText(value) : boolean().fromToml(value)),
    toToml: (value) => (value === undefined ? quote('auto') : String(value)),
  }
}

export const integer = ({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Kind<number> => {
  const fromText: TextReader<number> = (text) =>
    /^-?\d{1,16}$/.test(text) ? within(Number(text), min, max) : undefined
  return {
    label: 'integer',
    wanted:
      max === Number.MAX_SAFE_INTEGER
        ? `a whole number, at least ${min}`
        : `a whole number, ${min} to ${max}`,
    fromText,
    fromToml: (value) => (typeof value === 'bigint' ? fromText(value.toString()) : undefined),
    toToml: String,
  }
}

export const text = ({ wanted, min = 0 }: { wanted: string; min?: number }): Kind<string> => {
  const fromText: TextReader<string> = (value) =>
    printable.test(value) && value.length >= min ? { value } : undefined
  return { label: 'text', wanted, fromText, fromToml: stringOnly(fromText), toToml: quote }
}

/** The address of an HTTP service, without user or password. */
export const httpUrl = (): Kind<string> => {
  const fromText: TextReader<string> = (value) => {
    const url = printable.test(value) && URL.canParse(value) ? new URL(value) : undefined
    const isPlain = url?.protocol === 'http:' && url.username === '' && url.password === ''
    return isPlain ? { value } : undefined
  }
  return {
    label: 'url',
    wanted: 'a URL such as http://127.0.0.1:26657',
    fromText,
    fromToml: stringOnly(fromText),
    toToml: quote,
  }
}

export const choice = <const T extends string>(...choices: readonly T[]): Kind<T> => {
  const fromText: TextReader<T> = (text) => {
    const value = choices.find((known) => known === text)
    return value === undefined ? undefined : { value }
  }
  return {
    label: choices.join('|'),
    wanted: `one of ${choices.join(', ')}`,
    fromText,
    fromToml: stringOnly(fromText),
    toToml: quote,
  }
}

const listOf = <T>(options: {
  readonly label: string
  readonly wanted: string
  readonly item: TextReader<T>
  readonly show: (item: T) => string
}): Kind<readonly T[]> => {
  const all = (parts: readonly TomlValue[]): Read<readonly T[]> => {
    const items: T[] = []
    for (const part of parts) {
      const read = typeof part === 'string' ? options.item(part.trim()) : undefined
      if (read === undefined) return undefined
      items.push(read.value)
    }
    return { value: items }
  }
  const fromText: TextReader<readonly T[]> = (text) =>
    text.trim() === '' ? { value: [] } : all(text.split(','))
  return {
    label: options.label,
    wanted: options.wanted,
    fromText,
    fromToml: (value) => (Array.isArray(value) ? all(value) : stringOnly(fromText)(value)),
    toToml: (items) => `[${items.map((item) => quote(options.show(item))).join(', ')}]`,
  }
}

/** A list of texts that match `item`; no item can hold a comma, since flags separate by it. */
export const list = ({ item, wanted }: { item: RegExp; wanted: string }): Kind<readonly string[]> =>
  listOf({
    label: 'list',
    wanted,
    item: (value) =>
      item.test(value) && /^[^\s,]+$/.test(value) && printable.test(value) ? { value } : undefined,
    show: String,
  })

export interface Cidr {
  readonly address: string
  readonly prefix: number
  readonly family: 'ipv4' | 'ipv6'
}

const readCidr: TextReader<Cidr> = (text) => {
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
    item: readCidr,
    show: ({ address, prefix }) => `${address}/${prefix}`,
  })

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** As it is written in a URL and in the configuration. */
export const formatAddress = ({ host, port }: ListenAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

const isHost = (host: string): boolean =>
  /^[\d.]+$/.test(host) ? isIPv4(host) : /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(host)

/** Undefined means off. A missing host is refused: it would silently mean every interface. */
export const listenAddress = (): Kind<ListenAddress | undefined> => {
  const fromText: TextReader<ListenAddress | undefined> = (text) => {
    if (text === '') return { value: undefined }
    const [, v6, name = '', digits] =
      /^(?:\[([0-9A-Fa-f.:]+)\]|([^:[\]]+)):(0|[1-9]\d{0,4})$/.exec(text) ?? []
    const host = v6 ?? name
    const port = Number(digits)
    if (!(v6 === undefined ? isHost(name) : isIPv6(v6)) || port > 65_535) return undefined
    return { value: { host, port } }
  }
  return {
    label: 'host:port',
    wanted:
      'host:port such as 127.0.0.1:8545 or [::1]:8545 (port 0 picks a free one), or an empty text for off',
    fromText,
    fromToml: stringOnly(fromText),
    toToml: (at) => quote(at === undefined ? '' : formatAddress(at)),
  }
}

const sizeUnits = {
  GiB: 2 ** 30,
  GB: 1e9,
  MiB: 2 ** 20,
  MB: 1e6,
  KiB: 2 ** 10,
  KB: 1e3,
  B: 1,
} as const

/** Bytes. */
export const byteSize = ({ min = 1 } = {}): Kind<number> => {
  const fromText: TextReader<number> = (text) =>
    within(scaled(/^\d+$/.test(text) ? `${text}B` : text, sizeUnits), min, Number.MAX_SAFE_INTEGER)
  return {
    label: 'size',
    wanted: `bytes such as 5MB, 64MiB or 5000000, at least ${min}`,
    fromText,
    fromToml: integerOrString(fromText),
    toToml: (value) => quote(withUnit(value, sizeUnits)),
  }
}

const timeUnits = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const

/** Node's timers fire at once when asked for more. */
const longestTimer = 2 ** 31 - 1

/** Milliseconds. */
export const duration = ({ min = 1 } = {}): Kind<number> => {
  const fromText: TextReader<number> = (text) => within(scaled(text, timeUnits), min, longestTimer)
  return {
    label: 'duration',
    wanted: `a time with its unit such as 30s, 5m, 1.5s or 200ms, at least ${min}ms and at most 24 days`,
    fromText,
    fromToml: stringOnly(fromText),
    toToml: (value) => quote(withUnit(value, timeUnits)),
  }
}

/** Wei. */
export const gasPrice = (): Kind<bigint> => {
  const fromText: TextReader<bigint> = (text) => {
    const [, digits] = /^(\d{1,78})(?:wei)?$/.exec(text) ?? []
    if (digits === undefined) return undefined
    const value = BigInt(digits)
    return value < 2n ** 256n ? { value } : undefined
  }
  return {
    label: 'wei',
    wanted: 'a decimal number of wei such as 1000000000wei, below 2^256',
    fromText,
    fromToml: integerOrString(fromText),
    toToml: (value) => quote(`${value}wei`),
  }
}

const coinDigits = 18

/** Wei, written as whole coins with up to 18 decimals. */
export const coins = (): Kind<bigint> => {
  const fromText: TextReader<bigint> = (text) => {
    const [, whole, part = ''] = /^(\d{1,59})(?:\.(\d{1,18}))?$/.exec(text) ?? []
    return whole === undefined ? undefined : { value: BigInt(whole + part.padEnd(coinDigits, '0')) }
  }
  return {
    label: 'coins',
    wanted: 'a decimal number of coins such as 1 or 0.5',
    fromText,
    fromToml: (value) =>
      typeof value === 'number' ? fromText(String(value)) : integerOrString(fromText)(value),
    toToml: (value) => {
      const digits = value.toString().padStart(coinDigits + 1, '0')
      return quote(`${digits.slice(0, -coinDigits)}.${digits.slice(-coinDigits)}`.replace(/\.?0+$/, ''))
    },
  }
}
