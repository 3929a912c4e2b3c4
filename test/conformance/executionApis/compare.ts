import { isDeepStrictEqual } from 'node:util'

type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }

interface Answer {
  readonly id?: Json
  readonly result?: Json
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json }
}

const isObject = (value: Json): value is { readonly [member: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

const kindOf = (value: Json): string => {
  if (value === null) return 'null'
  if (typeof value === 'string') return /^0x[0-9a-fA-F]*$/.test(value) ? 'hex' : 'text'
  return typeof value
}

/** Maps by address, slot or nonce: their members are data, not shape. */
const isMap = (members: readonly string[]): boolean =>
  members.every((member) => /^(?:0x[0-9a-fA-F]*|\d+)$/.test(member))

const everyLikeSome = (got: readonly Json[], expected: readonly Json[]): boolean =>
  got.every((value) => expected.some((model) => hasSameShape(value, model)))

/** Whether a value is built like another: members, and kinds of values; elements of lists like one of the list's. */
export const hasSameShape = (got: Json, expected: Json): boolean => {
  if (isList(expected)) return isList(got) && everyLikeSome(got, expected)
  if (!isObject(expected)) return !isList(got) && !isObject(got) && kindOf(got) === kindOf(expected)
  if (!isObject(got)) return false
  const members = Object.keys(expected)
  if (isMap(members) && isMap(Object.keys(got)))
    return everyLikeSome(Object.values(got), Object.values(expected))
  return (
    isDeepStrictEqual(Object.keys(got).sort(), members.sort()) &&
    members.every((member) => hasSameShape(got[member] as Json, expected[member] as Json))
  )
}

const shorten = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 600 ? `${text.slice(0, 600)}…` : text
}

/** What is wrong with an answer; undefined where nothing is. Errors agree in code and data, not in wording. */
export const findDifference = (
  expectedText: string,
  gotText: string,
  isSpecOnly: boolean,
): string | undefined => {
  const expected = JSON.parse(expectedText) as Answer
  const got = JSON.parse(gotText) as Answer
  if (got.id !== expected.id) return `id ${shorten(got.id)} instead of ${shorten(expected.id)}`
  const difference = `expected ${shorten(expected.error ?? expected.result)}, got ${shorten(got.error ?? got.result)}`
  if (expected.error !== undefined) {
    const isSameCode = got.error?.code === expected.error.code
    const isSameData =
      expected.error.data === undefined || isDeepStrictEqual(got.error?.data, expected.error.data)
    return isSameCode && isSameData ? undefined : difference
  }
  if (got.error !== undefined || got.result === undefined || expected.result === undefined) return difference
  const isRight = isSpecOnly
    ? hasSameShape(got.result, expected.result)
    : isDeepStrictEqual(got.result, expected.result)
  return isRight ? undefined : difference
}
