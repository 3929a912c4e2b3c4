import { expect, test } from 'vitest'
import { createLogger } from './log.ts'

const logged = (fields: object): string => {
  let line = ''
  createLogger('info', { write: (text) => (line += text) }).info(fields, 'a message')
  return line
}

const canary = 'canary-7f3a'

test.each(['authorization', 'password', 'passphrase', 'privateKey', 'secret', 'token', 'mnemonic', 'params'])(
  'the value of %s is never in the log, up to two levels down',
  (name) => {
    for (const fields of [
      { [name]: canary },
      { a: { [name]: canary } },
      { a: { b: { [name]: [canary] } } },
    ]) {
      const line = logged(fields)
      expect(line).not.toContain(canary)
      expect(line).toContain('[redacted]')
    }
  },
)

test('the header of a request as Node has it is redacted', () => {
  expect(logged({ req: { headers: { authorization: `Bearer ${canary}` } } })).not.toContain(canary)
})

test('a line is one JSON object with a level by name and a time', () => {
  const line = logged({ method: 'test_echo', count: 1 })
  expect(line.endsWith('\n')).toBe(true)
  expect(JSON.parse(line)).toMatchObject({ level: 'info', method: 'test_echo', count: 1, msg: 'a message' })
  expect(Date.parse((JSON.parse(line) as { time: string }).time)).not.toBeNaN()
})

test('what is below the level is not written', () => {
  let line = ''
  createLogger('warn', { write: (text) => (line += text) }).info('quiet')
  expect(line).toBe('')
})
