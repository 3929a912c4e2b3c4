/** Reads members of answers as a tool does that fails on anything else than it expects. */

export type Json = Readonly<Record<string, unknown>>

const matching =
  (pattern: RegExp, what: string) =>
  (object: Json, name: string): string => {
    const value = object[name]
    if (typeof value === 'string' && pattern.test(value)) return value
    throw new Error(
      `${name} is ${JSON.stringify(value)}, not ${what}: ${JSON.stringify(object).slice(0, 300)}`,
    )
  }

export const readHash = matching(/^0x[0-9a-f]{64}$/, 'a hash')
export const readAddress = matching(/^0x[0-9a-f]{40}$/, 'an address')
export const readData = matching(/^0x(?:[0-9a-f]{2})*$/, 'data')
const readQuantityText = matching(/^0x(?:0|[1-9a-f][0-9a-f]*)$/, 'a quantity')
export const readQuantity = (object: Json, name: string): bigint => BigInt(readQuantityText(object, name))

export const readList = (object: Json, name: string): readonly unknown[] => {
  const value = object[name]
  if (Array.isArray(value)) return value
  throw new Error(`${name} is ${JSON.stringify(value)}, not a list`)
}

export const readObject = (object: Json, name: string): Json => {
  const value = object[name]
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new Error(`${name} is ${JSON.stringify(value)}, not an object`)
}

/** Null, or what the reader reads. */
export const readNullable = <T>(
  read: (object: Json, name: string) => T,
  object: Json,
  name: string,
): T | null => (object[name] === null || object[name] === undefined ? null : read(object, name))
