import { describe, expect, test } from 'vitest'
import { isRateLimit, isTransient, readAnswers } from './answers.ts'

describe('the responses of a body', () => {
  test('are paired with the calls by their ids, in any order', () => {
    const text = JSON.stringify([
      { id: 1, result: 'b' },
      { id: 0, error: { code: 3, message: 'reverted', data: '0x' } },
    ])
    expect(readAnswers(text, 2)).toMatchObject({
      kind: 'each',
      answers: [{ error: { code: 3, message: 'reverted', data: '0x' } }, { result: 'b' }],
    })
  })

  test.each([
    ['one is missing', [{ id: 0, result: 1 }]],
    [
      'one is doubled',
      [
        { id: 0, result: 1 },
        { id: 0, result: 2 },
      ],
    ],
    [
      'an id is not of the calls',
      [
        { id: 0, result: 1 },
        { id: 7, result: 2 },
      ],
    ],
    ['one is nothing', [{ id: 0, result: 1 }, 5]],
    ['one has neither result nor error', [{ id: 0, result: 1 }, { id: 1 }]],
  ])('count for nothing if %s', (_, answers) => {
    expect(readAnswers(JSON.stringify(answers), 2)).toEqual({ kind: 'all', answer: undefined })
  })

  test('may be one error for all', () => {
    const text = JSON.stringify({ id: null, error: { code: -32600, message: 'batch too large' } })
    expect(readAnswers(text, 2)).toMatchObject({ kind: 'all', answer: { error: { code: -32600 } } })
    expect(readAnswers('<html>', 2)).toEqual({ kind: 'all', answer: undefined })
    expect(readAnswers('{"id":0,"result":null}', 1)).toMatchObject({
      kind: 'each',
      answers: [{ result: null }],
    })
  })
})

test.each([
  [-32005, 'limit exceeded', true],
  [-32005, 'query returned more than 10000 results', false],
  [429, '', true],
  [-32000, 'Too Many Requests', true],
  [-32000, 'your app has exceeded its compute units per second capacity', true],
  [3, 'execution reverted', false],
  [3, 'execution reverted: RateLimiter: rate limit exceeded', false],
  [-32000, 'execution reverted: exceeded the cap', false],
])('%s %s is a limit of the rate: %s', (code, message, isLimit) => {
  expect(isRateLimit({ code, message }, false)).toBe(isLimit)
})

test('what a contract reverts with is not a limit of the rate, what a provider says of it is', () => {
  const message = 'VM Exception: rate limit exceeded'
  expect(isRateLimit({ code: -32015, message, data: '0x08c379a0' }, true)).toBe(false)
  expect(isRateLimit({ code: -32005, message, data: { rate: { backoff_seconds: 30 } } }, false)).toBe(true)
})

test('a node that does not have the block yet is asked again, a call that reverts is not', () => {
  expect(isTransient({ code: -32000, message: 'header not found' })).toBe(true)
  expect(isTransient({ code: 3, message: 'execution reverted' })).toBe(false)
})
