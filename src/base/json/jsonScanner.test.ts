import { expect, test } from 'vitest'
import { DepthError, StrictJsonScanner } from './jsonScanner.ts'

const isTaken = (text: string | Buffer): boolean => {
  const scanner = new StrictJsonScanner(Buffer.from(text).toString('latin1'))
  try {
    scanner.skipValue()
    scanner.finish()
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError)
    return false
  }
}

const long = 'f'.repeat(300)

test.each([
  ['null', 'true', 'false', '0', '-0', '12', '1.5e-7', '""', '"a"', '[]', '{}'],
  ['[[],[{}],{"a":[1,null,"x"]}]', '{"a":{"b":"c"},"d":[]}', '"\\"\\\\\\/\\b\\u00Ff"', '"ä€😀"'],
  [`"${long}"`, `["${long}","${long}\\"${long}","\\n"]`, `"${long}\\\\"`, `{"${long}":"${long}\\u0000"}`],
])('what is JSON without blanks is walked through: %s …', (...texts) => {
  for (const text of texts) {
    JSON.parse(text)
    expect(isTaken(text), text).toBe(true)
  }
})

test.each([
  ['', '{', '[', '"', '"a', 'nul', 'nulls', '01', '1.', '.5', '+1', '-', '1e', 'NaN', '0x1', ',', ':'],
  ['[1,]', '[,1]', '[1', '[1}', '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', '{"a":1]', '{"a":[}', '[]]', '{}{}'],
  ['"\\x"', '"\\u12"', '"\\u12g4"', '"\\', '"a\nb"', '"\u0001"', `"${long}`, `"${long}\\`, `"${long}\\q"`],
])('what is not JSON is rejected: %s …', (...texts) => {
  for (const text of texts) {
    expect(() => JSON.parse(text)).toThrow()
    expect(isTaken(text), text).toBe(false)
  }
})

test('blanks are rejected, so that whoever asks makes them go away', () => {
  for (const text of ['[ ]', '[1, 2]', '{"a": 1}', ' 1', '1 ', '[1\n]'])
    expect(isTaken(text), text).toBe(false)
})

test('calls may be nested as deep as the EVM nests them, and not without end', () => {
  const deep = new StrictJsonScanner('['.repeat(1_000_000))
  expect(isTaken(`${'{"calls":['.repeat(1025)}${']}'.repeat(1025)}`)).toBe(true)
  expect(() => deep.skipValue()).toThrow(DepthError)
  expect(() => new StrictJsonScanner('[1,x]').skipValue()).toThrow('invalid JSON at 4 of 5')
})

test('a text that is changed anywhere is taken only if it is still JSON', () => {
  const text = '{"a":["0x1",{"b":null,"c":true}],"d":"e\\n","f":-1.5,"g":[],"h":{}}'
  const isJson = (changed: string): boolean => {
    try {
      JSON.parse(changed)
      return true
    } catch {
      return false
    }
  }
  for (let at = 0; at <= text.length; at++)
    for (const put of ['', '"', '{', '}', '[', ']', ',', ':', '\\', '0', 'n'])
      for (const cut of [0, 1]) {
        const changed = text.slice(0, at) + put + text.slice(at + cut)
        expect(isTaken(changed), changed).toBe(isJson(changed))
      }
})
