import { fromHex, toHex, toQuantity } from '../../base/encoding/hex.ts'
import { decodeUtf8, encodeUtf8 } from '../../base/encoding/utf8.ts'
import { hasMoreJsonValues } from '../../base/json/jsonTokens.ts'

/**
 * Codecs between values of the port and JSON: bytes are DATA, large integers are QUANTITY. The input of a decoder is
 * not trusted, so every value is checked, and an error names the path of the value that is wrong.
 */

export class CodecError extends Error {
  override readonly name = 'CodecError'
}

export interface Codec<T> {
  toJson(value: T): unknown
  /** Decodes a value. Throws `CodecError`; `path` is the location of the value in the whole. */
  fromJson(json: unknown, path: string): T
}

type ValueOf<C> = C extends Codec<infer T> ? T : never

const expected = (path: string, what: string): CodecError => new CodecError(`${path}: expected ${what}`)

const isBytes = /^0x(?:[0-9a-fA-F]{2})*$/

/** Creates a codec for DATA of `length` bytes, or of any length. */
export const bytes = (length?: number): Codec<Uint8Array> => ({
  toJson: toHex,
  fromJson: (json, path) => {
    if (typeof json !== 'string' || !isBytes.test(json)) throw expected(path, 'DATA')
    if (length !== undefined && json.length !== 2 + 2 * length) throw expected(path, `${length} bytes`)
    return fromHex(json)
  },
})

export const address = bytes(20)
export const word = bytes(32)

const isQuantity = /^0x[0-9a-fA-F]{1,64}$/

export const quantity = (bits: 64 | 256): Codec<bigint> => ({
  toJson: toQuantity,
  fromJson: (json, path) => {
    if (typeof json !== 'string' || !isQuantity.test(json) || json.length > 2 + bits / 4)
      throw expected(path, `a QUANTITY of at most ${bits} bits`)
    return BigInt(json)
  },
})

export const integer = (max: number = Number.MAX_SAFE_INTEGER): Codec<number> => ({
  toJson: (value) => value,
  fromJson: (json, path) => {
    if (typeof json !== 'number' || !Number.isSafeInteger(json) || json < 0 || json > max)
      throw expected(path, `a whole number up to ${max}`)
    return json
  },
})

/** A duration in milliseconds, which may have a fraction. */
export const duration: Codec<number> = {
  toJson: (value) => value,
  fromJson: (json, path) => {
    if (typeof json !== 'number' || !(json >= 0)) throw expected(path, 'a duration in milliseconds')
    return json
  },
}

export const boolean: Codec<boolean> = {
  toJson: (value) => value,
  fromJson: (json, path) => {
    if (typeof json !== 'boolean') throw expected(path, 'true or false')
    return json
  },
}

export const text: Codec<string> = {
  toJson: (value) => value,
  fromJson: (json, path) => {
    if (typeof json !== 'string') throw expected(path, 'a string')
    return json
  },
}

/** Any JSON, unchecked: it is checked where it is used. */
export const unknownJson: Codec<unknown> = { toJson: (value) => value, fromJson: (json) => json }

/** Creates a codec that decodes missing members and null as undefined. */
export const optional = <T>(codec: Codec<T>): Codec<T | undefined> => ({
  toJson: (value) => (value === undefined ? undefined : codec.toJson(value)),
  fromJson: (json, path) => (json === undefined || json === null ? undefined : codec.fromJson(json, path)),
})

export const list = <T>(codec: Codec<T>): Codec<readonly T[]> => ({
  toJson: (values) => values.map((value) => codec.toJson(value)),
  fromJson: (json, path) => {
    if (!Array.isArray(json)) throw expected(path, 'a list')
    return json.map((value, index) => codec.fromJson(value, `${path}[${index}]`))
  },
})

/** Creates a codec for a string or a value of another type. */
export const textOr = <T>(codec: Codec<T>): Codec<T | string> => ({
  toJson: (value) => (typeof value === 'string' ? value : codec.toJson(value)),
  fromJson: (json, path) => (typeof json === 'string' ? json : codec.fromJson(json, path)),
})

export type JsonObject = Readonly<Record<string, unknown>>

export const plainObject: Codec<JsonObject> = {
  toJson: (value) => value,
  fromJson: (json, path) => {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) throw expected(path, 'an object')
    return json as JsonObject // neither null nor an array
  },
}

type Members = Readonly<Record<string, Codec<unknown>>>

/** Creates a codec for an object. Unknown members are ignored, and undefined ones are omitted in both directions. */
export const object = <M extends Members>(
  members: M,
): Codec<{ readonly [Name in keyof M]: ValueOf<M[Name]> }> => {
  const codecs = Object.entries(members)
  const withoutUndefined = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
    Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  return {
    toJson: (value) => withoutUndefined(codecs.map(([name, codec]) => [name, codec.toJson(value[name])])),
    fromJson: (json, path) => {
      const source = plainObject.fromJson(json, path)
      const at = (name: string): unknown => (Object.hasOwn(source, name) ? source[name] : undefined)
      // The result has the same names, each with the value that its codec returns.
      return withoutUndefined(
        codecs.map(([name, codec]) => [name, codec.fromJson(at(name), `${path}.${name}`)]),
      ) as never
    },
  }
}

/**
 * Creates a codec for an object whose keys are bytes, in the order of its members. If two keys differ only in case, the
 * last one counts, as in geth.
 */
export const bytesMap = <T>(
  length: number,
  codec: Codec<T>,
): Codec<readonly (readonly [Uint8Array, T])[]> => {
  const key = bytes(length)
  return {
    toJson: (entries) =>
      Object.fromEntries(entries.map(([name, value]) => [toHex(name), codec.toJson(value)])),
    fromJson: (json, path) => {
      const entries = new Map<string, readonly [Uint8Array, T]>()
      for (const [name, value] of Object.entries(plainObject.fromJson(json, path)))
        entries.set(name.toLowerCase(), [
          key.fromJson(name, `${path} key`),
          codec.fromJson(value, `${path}.${name}`),
        ])
      return [...entries.values()]
    },
  }
}

export const encodeJson = <T>(codec: Codec<T>, value: T): Uint8Array =>
  encodeUtf8(JSON.stringify(codec.toJson(value)))

/** Decodes JSON text. Throws `CodecError`. */
export const decodeJson = <T>(codec: Codec<T>, encoded: Uint8Array, path: string): T =>
  codec.fromJson(parseJson(encoded, path), path)

/** The largest number of values in the JSON of a request: a simulation of many calls with many overrides. */
const maxJsonValues = 200_000

export const parseJson = (encoded: Uint8Array, path: string): unknown => {
  if (hasMoreJsonValues(encoded, maxJsonValues))
    throw new CodecError(`${path}: more than ${maxJsonValues} values`)
  try {
    return JSON.parse(decodeUtf8(encoded))
  } catch {
    throw expected(path, 'JSON')
  }
}
