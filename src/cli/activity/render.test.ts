import { expect, test } from 'vitest'
import { TerminalRenderer, type TransactionActivity } from './render.ts'

const hash = `0x${'ab'.repeat(32)}`
const from = `0x${'11'.repeat(20)}`
const to = `0x${'22'.repeat(20)}`

const block = { number: 3, hash, gasUsed: 21_000n, timestamp: 1_700_000_000n, baseFee: 7n, count: 1 }
const transaction: TransactionActivity = {
  hash,
  from,
  to,
  created: undefined,
  value: 1_500_000_000_000_000_000n,
  call: '0x01020304',
  gasUsed: 21_000n,
  gasLimit: 90_000n,
  logCount: 0,
  failure: undefined,
  stack: undefined,
  lines: [],
}

const render = (transactions: readonly TransactionActivity[], hasColours = false): string => {
  let text = ''
  const renderer = new TerminalRenderer((part) => {
    text += part
  }, hasColours)
  renderer.block(block, transactions)
  return text
}

test('a block and a transaction have two lines each', () => {
  expect(render([transaction])).toBe(
    `Block 3 ${hash}\n` +
      '  2023-11-14T22:13:20  1 transaction, gas 21000\n' +
      `  ${hash}  ok\n` +
      `    from ${from} to ${to}  0x01020304  value 1.5  gas 21000 of 90000\n`,
  )
})

test('a creation, a failure and lines of the console', () => {
  const created = { ...transaction, to: undefined, created: to, call: undefined, value: 0n }
  expect(render([created])).toContain(`    from ${from} created ${to}  gas 21000 of 90000\n`)
  expect(render([{ ...transaction, failure: 'reverted: no' }])).toContain(`  ${hash}  reverted: no\n`)
  const lines = [{ contract: to, text: 'two\nlines' }]
  expect(render([{ ...transaction, lines }])).toContain(`    ${to}: two\n      lines\n`)
})

test('a contract cannot control the terminal', () => {
  const lines = [{ contract: to, text: 'a\x1b[2Jb\x07\x9b\u202e\u200b\u2028' }]
  const text = render([{ ...transaction, lines, failure: '\x1b[31mred' }])
  for (const control of ['\x1b', '\x07', '\x9b', '\u202e', '\u200b', '\u2028'])
    expect(text).not.toContain(control)
  expect(render([transaction], true)).toContain('\x1b[32mok\x1b[0m')
})
