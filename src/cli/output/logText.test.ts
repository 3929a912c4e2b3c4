import { expect, test } from 'vitest'
import { createLogger } from '../../base/logging/log.ts'
import { createLogText } from './logText.ts'
import { paintIf } from './paint.ts'

const linesOf = (isVerbose: boolean, isToGreet: boolean): string => {
  let text = ''
  const options = { paint: paintIf(false), isVerbose, isToGreet: () => isToGreet }
  const log = createLogger(
    'debug',
    createLogText((part) => {
      text += part
    }, options),
  )
  log.component('rpc').info({ port: 1 }, 'listening')
  log.info({ engine: true, module: 'p2p' }, 'Started node')
  log.warn({ height: 3, token: 'secret' }, 'odd \x1b[2J\u202e')
  return text.replaceAll(/\d\d:\d\d:\d\d/g, 'TIME')
}

test('a line of the log is a line for people, without secrets and control characters', () => {
  expect(linesOf(false, true)).toBe('warn   TIME  odd ·[2J·  height=3 token=[redacted]\n')
})

test('addresses are reported after the greeting, and what CometBFT tells on demand', () => {
  expect(linesOf(false, false)).toContain('info   TIME  rpc: listening  port=1\n')
  expect(linesOf(true, true)).toContain('info   TIME  Started node  module=p2p\n')
})

test('text of others forges no line', () => {
  let text = ''
  const options = { paint: paintIf(false), isVerbose: true, isToGreet: () => false }
  const log = createLogger(
    'debug',
    createLogText((part) => {
      text += part
    }, options),
  )
  const forged = 'no\nfatal  00:00:00  forged'
  log.warn({ reason: forged, part: forged }, forged)
  log.warn({ err: new Error(forged) }, 'failed')
  log.warn({ err: { message: forged } }, 'failed')
  expect(text).not.toMatch(/^fatal/m)
  expect(text).toContain('reason=no·fatal')
  expect(text).toMatch(/^ +at /m)
})
