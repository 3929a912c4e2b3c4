import { createHash } from 'node:crypto'

type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }

const isObject = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The same text for the same value, whatever the order of its members. */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}

/** Enough of a hash to tell two outputs apart. */
export const digest = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('hex').slice(0, 16)

const shorten = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200)

/** Where two values differ, at most so many places. */
export const differences = (expected: unknown, got: unknown, path = '', found: string[] = []): string[] => {
  if (found.length >= 8) return found
  if (Array.isArray(expected) && Array.isArray(got)) {
    for (let i = 0; i < Math.max(expected.length, got.length); i++)
      differences(expected[i], got[i], `${path}[${i}]`, found)
  } else if (isObject(expected) && isObject(got)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(got)]))
      differences(expected[name], got[name], `${path}.${name}`, found)
  } else if (canonical(expected ?? null) !== canonical(got ?? null))
    found.push(`${path}: geth ${shorten(expected)}, here ${shorten(got)}`)
  return found
}
