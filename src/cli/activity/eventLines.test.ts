import { expect, test } from 'vitest'
import { paintIf } from '../output/paint.ts'
import { EventLines } from './eventLines.ts'
import type { TransactionActivity } from './render.ts'

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
  call: undefined,
  gasUsed: 21_000n,
  gasLimit: 90_000n,
  logCount: 0,
  failure: undefined,
  stack: undefined,
  lines: [],
}

const render = (columns: number, changes: Partial<TransactionActivity> = {}, hasColours = false): string => {
  let text = ''
  const write = (part: string): void => {
    text += part
  }
  new EventLines(write, paintIf(hasColours), () => columns).block(block, [{ ...transaction, ...changes }])
  return text
}

const head = 'block  3  2023-11-14 22:13:20  0xabab…abab  1 transaction, gas 21000\n'

test('a block and a transaction have a line each, where there is room for it', () => {
  const details = '0x1111…1111 → 0x2222…2222  value 1.5  gas 21000'
  expect(render(140)).toBe(`${head}  ok     ${hash}  ${details}\n`)
  expect(render(80)).toBe(`${head}  ok     ${hash}\n         ${details}\n`)
})

test('a new contract has its whole address, and all of it fits 80 columns', () => {
  const text = render(80, { to: undefined, created: to, value: 0n })
  expect(text).toContain(`→ new ${to}  gas 21000\n`)
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('a rejected transaction has its reason', () => {
  let text = ''
  const lines = new EventLines(
    (part) => {
      text += part
    },
    paintIf(false),
    () => 80,
  )
  lines.rejected({ hash, from, to, call: '0xd09de08a', nonce: 0n, reason: 'nonce too low' })
  const unknown = { from: undefined, to: undefined, call: undefined, nonce: undefined }
  lines.rejected({ hash: undefined, ...unknown, reason: 'transaction type not supported' })
  expect(text).toBe(
    `  failed ${hash}\n         0x1111…1111 → 0x2222…2222  0xd09de08a  nonce 0\n         rejected: nonce too low\n` +
      '  failed a transaction that cannot be read\n         rejected: transaction type not supported\n',
  )
})

test('a stack in the source stands below a failure, and fits 80 columns', () => {
  const frame = { address: to, contract: 'Token', function: 'pay' }
  const frames = [
    { ...frame, file: `${'deep/'.repeat(20)}Token.sol`, line: 12 },
    { ...frame, contract: 'Ba\x1b[2Jnk', file: 'src/Bank.sol', line: 7 },
    { address: from, contract: undefined, function: undefined, file: undefined, line: undefined },
  ]
  const text = render(80, { failure: 'reverted: no', stack: { cause: undefined, frames } })
  expect(text).toContain('/Token.sol:12)\n         at Ba·[2Jnk.pay (src/Bank.sol:7)\n')
  expect(text).toContain(`         at unknown code (${from})\n`)
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('a failure and the console are shown below, and cannot control the terminal', () => {
  const text = render(140, { failure: 'reverted: \x1b[2Jn\u202eo', lines: [{ contract: to, text: 'hello' }] })
  expect(text).toContain(`  failed ${hash}`)
  expect(text).toContain('\n         reverted: ·[2Jn·o\n  log    0x2222…2222: hello\n')
  expect(render(140, {}, true)).toContain('\x1b[32mok\x1b[0m')
})

test('a call that fails or writes to the console tells its method and its tool, and fits the terminal', () => {
  let text = ''
  const write = (part: string): void => {
    text += part
  }
  const lines = new EventLines(write, paintIf(false), () => 80)
  const call = `Token.transferFrom(${to}, ${from}, 1000000000000000000)`
  const failure =
    'reverted: a reason that is so long that no line of a narrow terminal has room for the whole of it'
  const logged = { contract: to, text: `the allowance of ${from} is ${'9'.repeat(40)}` }
  const failed = { method: 'eth_call', tool: 'ethers 6.13.0', from, to, failure, stack: undefined }
  lines.call({ ...failed, call, lines: [logged] })
  expect(text).toContain(
    '  failed eth_call\n         0x1111…1111 → 0x2222…2222\n         Token.transferFrom(',
  )
  expect(text).toContain('by ethers 6.13.0\n         reverted: a reason')
  expect(text).toContain('  log    0x2222…2222: the allowance of\n         0x1111')
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  text = ''
  lines.call({ ...failed, call: '0x01020304', failure: 'reverted: no', lines: [] })
  expect(text).toBe(
    '  failed eth_call  0x1111…1111 → 0x2222…2222  0x01020304  by ethers 6.13.0\n         reverted: no\n',
  )
  text = ''
  const named = { contract: to, name: 'To\x1b[2Jken', text: 'hello' }
  lines.call({ ...failed, call: '0x01020304', failure: undefined, lines: [named] })
  expect(text).toBe(
    '  ok     eth_call  0x1111…1111 → 0x2222…2222  0x01020304  by ethers 6.13.0\n  log    To·[2Jken: hello\n',
  )
})
