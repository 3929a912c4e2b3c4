import { describe, expect, test } from 'vitest'
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

test('text of others is in escapes, which no terminal obeys, and the same for programs', () => {
  const text = '\x1b[2J\x9b31m\u202egnp.exe\u2028\u{e0041}\n'
  const line = logged({ text, err: new Error(text) })
  expect(line).toMatch(/^[\x20-\x7e]+\n$/)
  expect(JSON.parse(line)).toMatchObject({ text, err: { message: text } })
})

test('what is below the level is not written', () => {
  let line = ''
  createLogger('warn', { write: (text) => (line += text) }).info('quiet')
  expect(line).toBe('')
})

describe('how much is logged', () => {
  const setUp = () => {
    const lines: { level: string; part?: string; msg: string }[] = []
    const log = createLogger('info', { write: (text) => void lines.push(JSON.parse(text)) })
    const logged = (): string[] =>
      lines.splice(0).map(({ level, part = 'root', msg }) => `${part} ${level} ${msg}`)
    return { log, logged }
  }

  test('a part says which it is', () => {
    const { log, logged } = setUp()
    log.info('one')
    log.component('rpc').warn('two')
    expect(logged()).toEqual(['root info one', 'rpc warn two'])
  })

  test('the verbosity holds for all parts, those too that were there before', () => {
    const { log, logged } = setUp()
    const rpc = log.component('rpc')
    log.setVerbosity(1)
    for (const logger of [log, rpc, log.component('pool')]) {
      logger.warn('lost')
      logger.error('kept')
    }
    expect(logged()).toEqual(['root error kept', 'rpc error kept', 'pool error kept'])
    log.setVerbosity(5)
    rpc.debug('kept')
    expect(logged()).toEqual(['rpc debug kept'])
    log.setVerbosity(0)
    rpc.fatal('lost')
    expect(logged()).toEqual([])
  })

  test('parts can log more than the rest, never less', () => {
    const { log, logged } = setUp()
    const [rpc, solo] = [log.component('rpc'), log.component('engine/solo')]
    log.setComponentLevels([
      { pattern: 'engine/*', verbosity: 5 },
      { pattern: 'rpc', verbosity: 1 },
    ])
    rpc.info('kept')
    rpc.debug('lost')
    solo.debug('kept')
    log.debug('lost')
    expect(logged()).toEqual(['rpc info kept', 'engine/solo debug kept'])
    log.setComponentLevels([
      { pattern: '*', verbosity: 5 },
      { pattern: 'engine/solo', verbosity: 3 },
    ])
    rpc.debug('kept')
    solo.debug('lost')
    log.setComponentLevels([])
    rpc.debug('lost')
    expect(logged()).toEqual(['rpc debug kept'])
  })

  test('a pattern is not a regular expression', () => {
    const { log, logged } = setUp()
    const part = log.component('rpc')
    log.setComponentLevels([{ pattern: 'r.c', verbosity: 5 }])
    part.debug('lost')
    expect(logged()).toEqual([])
  })

  test('what a part logs is redacted like everything else', () => {
    const lines: string[] = []
    const log = createLogger('info', { write: (line) => void lines.push(line) })
    log.component('rpc').info({ passphrase: canary }, 'a message')
    expect(lines).toHaveLength(1)
    expect(lines.join()).not.toContain(canary)
  })
})
