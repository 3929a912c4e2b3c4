import { fromHex, toHex, toQuantity } from '../../base/hex.ts'

/**
 * Values of the port as JSON and back: bytes are DATA, large integers QUANTITY. Whoever decodes is asked by strangers,
 * so everything is checked, and what is wrong is said by the path to it.
 */

export class CodecError extends Error {
  override readonly name = 'CodecError'
}

export interface Codec<T> {
  toJson(value: T): unknown
  /** Throws `CodecError`; `path` is where the value stands. */
  fromJson(json: unknown, path: string): T
}

type ValueOf<C> = C extends Codec<infer T> ? T : never

const expected = (path: string, what: string): CodecError => new CodecError(`${path}: expected ${what}`)

const isBytes = /^0x(?:[0-9a-fA-F]{2})*$/

/** DATA of this length, or of any. */
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

export const integer = (most: number = Number.MAX_SAFE_INTEGER): Codec<number> => ({
  toJson: (value) => value,
  fromJson: (json, path) => {
    if (typeof json !== 'number' || !Number.isSafeInteger(json) || json < 0 || json > most)
      throw expected(path, `a whole number up to ${most}`)
    return json
  },
})

/** In milliseconds, parts of them too. */
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

/** JSON as it is: checked where it is used. */
export const unknownJson: Codec<unknown> = { toJson: (value) => value, fromJson: (json) => json }

/** Missing and null are undefined. */
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

/** One or the other, which are a string and something else. */
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

/** Members that are not named are passed over; those that are undefined are left out, both ways. */
export const object = <M extends Members>(
  members: M,
): Codec<{ readonly [Name in keyof M]: ValueOf<M[Name]> }> => {
  const named = Object.entries(members)
  const kept = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
    Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  return {
    toJson: (value) => kept(named.map(([name, codec]) => [name, codec.toJson(value[name])])),
    fromJson: (json, path) => {
      const given = plainObject.fromJson(json, path)
      const at = (name: string): unknown => (Object.hasOwn(given, name) ? given[name] : undefined)
      // The same names, each with what its codec gives.
      return kept(named.map(([name, codec]) => [name, codec.fromJson(at(name), `${path}.${name}`)])) as never
    },
  }
}

/** Keys that are bytes, in the order of the object; of two that differ in case alone the last counts, as in geth. */
export const bytesMap = <T>(
  length: number,
  codec: Codec<T>,
): Codec<readonly (readonly [Uint8Array, T])[]> => {
  const key = bytes(length)
  return {
    toJson: (entries) =>
      Object.fromEntries(entries.map(([name, value]) => [toHex(name), codec.toJson(value)])),
    fromJson: (json, path) => {
      const given = new Map<string, readonly [Uint8Array, T]>()
      for (const [name, value] of Object.entries(plainObject.fromJson(json, path)))
        given.set(name.toLowerCase(), [
          key.fromJson(name, `${path} key`),
          codec.fromJson(value, `${path}.${name}`),
        ])
      return [...given.values()]
    },
  }
}

export const encodeJson = <T>(codec: Codec<T>, value: T): Uint8Array =>
  Buffer.from(JSON.stringify(codec.toJson(value)))

/** Throws `CodecError`. */
export const decodeJson = <T>(codec: Codec<T>, encoded: Uint8Array, path: string): T =>
  codec.fromJson(parseJson(encoded, path), path)

export const parseJson = (encoded: Uint8Array, path: string): unknown => {
  try {
    return JSON.parse(Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength).toString('utf8'))
  } catch {
    throw expected(path, 'JSON')
  }
}
