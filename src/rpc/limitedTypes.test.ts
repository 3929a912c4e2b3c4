import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { slow } from '../../test/support/slow.ts'
import { decodeValue } from './decode.ts'
import { limitExceeded, RpcError } from './errors.ts'
import { limitedList, limitedRecord } from './limitedTypes.ts'
import { boundedString } from './wireType.ts'

const place = { position: 0, name: 'value' }

/** A schema of numbers that counts how often it was run. */
const createCounter = () => {
  const counted = { runs: 0 }
  const element = z.unknown().transform((value, context) => {
    counted.runs++
    if (typeof value === 'number') return value
    context.addIssue({ code: 'custom', message: 'expected a number' })
    return z.NEVER
  })
  return { counted, element }
}

const messageOf = (schema: z.ZodType, value: unknown): string => {
  const decoded = decodeValue(schema, value, place)
  return decoded instanceof RpcError ? `${decoded.code} ${decoded.message}` : 'valid'
}

const bad = (length: number): unknown[] => Array.from({ length }, () => ({}))
const badMembers = (length: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, {}]))

describe('a limited list', () => {
  test('is decoded up to its limit', () => {
    const { element } = createCounter()
    const schema = limitedList(element, { max: 3 })
    expect(schema.parse([])).toEqual([])
    expect(schema.parse([1, 2, 3])).toEqual([1, 2, 3])
  })

  test('of too many elements is rejected before one of them is decoded', () => {
    const { counted, element } = createCounter()
    const schema = limitedList(element, { max: 1_000 })
    expect(messageOf(schema, bad(300_000))).toBe(
      '-32602 invalid argument 0 (value): expected at most 1000 of them, got 300000',
    )
    expect(counted.runs).toBe(0)
  })

  test('ends at its first wrong element, and names it', () => {
    const { counted, element } = createCounter()
    const schema = limitedList(element, { max: 1_000_000 })
    expect(messageOf(schema, [1, 2, ...bad(200_000)])).toBe(
      '-32602 invalid argument 0 (value.2): expected a number, got {}',
    )
    expect(counted.runs).toBe(3)
  })

  test('without a limit shows that the counter counts', () => {
    const { counted, element } = createCounter()
    expect(messageOf(z.array(element), bad(1_000))).toMatch(/^-32602/)
    expect(counted.runs).toBe(1_000)
  })

  test('in a list ends that one too', () => {
    const { counted, element } = createCounter()
    const schema = limitedList(z.object({ inner: limitedList(element, { max: 10 }) }), { max: 10 })
    const given = Array.from({ length: 10 }, () => ({ inner: bad(10) }))
    expect(messageOf(schema, given)).toBe(
      '-32602 invalid argument 0 (value.0.inner.0): expected a number, got {}',
    )
    expect(counted.runs).toBe(1)
  })

  test('in a union shows its own error', () => {
    const { element } = createCounter()
    const schema = z.union([z.string(), limitedList(element, { max: 2 })], { error: 'expected one or many' })
    expect(messageOf(schema, [1, {}])).toBe('-32602 invalid argument 0 (value.1): expected a number, got {}')
    expect(messageOf(schema, [1, 2, 3])).toMatch(/expected at most 2 of them, got 3$/)
    expect(messageOf(schema, 7)).toMatch(/expected one or many, got 7$/)
  })

  test('may have an error of its own, also for what is nested', () => {
    const { counted, element } = createCounter()
    const tooMany = (count: number): RpcError => limitExceeded(`${count} are too many`)
    const schema = limitedList(limitedList(element, { max: 5 }), {
      max: 2,
      tooMany,
      check: (given) => (given.flat().length > 6 ? tooMany(given.flat().length) : undefined),
    })
    expect(messageOf(schema, [[], [], []])).toBe('-32005 3 are too many')
    expect(messageOf(schema, [bad(4), bad(4)])).toBe('-32005 8 are too many')
    expect(counted.runs).toBe(0)
  })

  test('of another type has the given error', () => {
    const { element } = createCounter()
    expect(messageOf(limitedList(element, { max: 1, error: 'expected numbers' }), {})).toMatch(
      /expected numbers, got \{\}$/,
    )
  })

  test('keeps its limit in the schemas that are made of it', () => {
    const { element } = createCounter()
    const schema = limitedList(element, { max: 2 })
    for (const made of [schema.meta({ id: 'Two' }), schema.describe('two'), schema.min(1), schema.nullish()])
      expect(messageOf(made, [1, 2, 3])).toMatch(/expected at most 2 of them/)
    expect(messageOf(schema.min(1, { error: 'expected one' }), [])).toMatch(/expected one/)
  })
})

describe('a limited record', () => {
  const key = z.string().regex(/^k/, { error: 'expected k' })

  test('is decoded up to its limit', () => {
    const { element } = createCounter()
    const schema = limitedRecord(key, element, { max: 2 })
    expect(schema.parse({})).toEqual({})
    expect(schema.parse({ k: 1, k2: 2 })).toEqual({ k: 1, k2: 2 })
    expect(schema.parse(JSON.parse('{"__proto__":{"a":1},"k":1}'))).toEqual({ k: 1 })
  })

  test('of too many members is rejected before one of them is decoded', () => {
    const { counted, element } = createCounter()
    const schema = limitedRecord(key, element, { max: 1_000 })
    expect(messageOf(schema, badMembers(200_000))).toMatch(/expected at most 1000 of them, got 200000$/)
    expect(counted.runs).toBe(0)
  })

  test('ends at its first wrong member, and names it', slow, () => {
    const { counted, element } = createCounter()
    const schema = limitedRecord(key, element, { max: 1_000_000 })
    expect(messageOf(schema, { k: 1, ...badMembers(200_000) })).toBe(
      '-32602 invalid argument 0 (value.k0): expected a number, got {}',
    )
    expect(counted.runs).toBe(2)
  })

  test('says what its names are', () => {
    const { element } = createCounter()
    const schema = limitedRecord(key, element, { max: 2, error: 'expected numbers by k' })
    expect(messageOf(schema, { x: 1 })).toBe(
      '-32602 invalid argument 0 (value.x): expected numbers by k, got 1',
    )
    expect(messageOf(schema, [])).toMatch(/expected numbers by k, got \[\]$/)
    expect(messageOf(schema, { ['x'.repeat(1_000_000)]: 1 }).length).toBeLessThan(1_200)
  })
})

test('a value whose length is not a number is of another type', () => {
  const { element } = createCounter()
  const hostile = JSON.parse('{"length":{"toString":false,"valueOf":false},"size":{}}') as unknown
  for (const schema of [
    limitedList(element, { max: 2 }).min(1),
    limitedRecord(z.string(), element, { max: 1 }),
    boundedString(3),
    z.object({ a: boundedString(3).regex(/x/) }),
  ])
    for (const value of [hostile, { a: hostile }, [hostile]])
      expect(messageOf(schema, value)).toMatch(/^-32602/)
  expect(messageOf(boundedString(3), 'abcd')).toMatch(/at most 3 characters/)
  expect(messageOf(boundedString(3), 'abc')).toBe('valid')
})

test('limits are in JSON Schema', () => {
  expect(z.toJSONSchema(boundedString(3))).toMatchObject({ type: 'string', maxLength: 3 })
  const list = limitedList(z.string(), { max: 3 })
  const record = limitedRecord(z.string(), list, { max: 4 })
  expect(z.toJSONSchema(record.nullish(), { io: 'input', target: 'draft-7' })).toMatchObject({
    anyOf: [
      {
        type: 'object',
        maxProperties: 4,
        additionalProperties: { type: 'array', maxItems: 3, items: { type: 'string' } },
      },
      { type: 'null' },
    ],
  })
})
