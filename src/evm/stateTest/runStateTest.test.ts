import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toHex } from '../../base/encoding/hex.ts'
import { createEvm, type Evm } from '../evm.ts'
import { loadEvmModules } from '../host/evmModules.ts'
import { precompilesAt } from '../precompiles/precompileTable.ts'
import { runStateTestFile } from './runStateTest.ts'
import type { StateTest } from './testFormat.ts'
import { createInMemoryState } from './testSetup.ts'

const sender = '0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b'
const secretKey = '0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8'
const contract = '0x00000000000000000000000000000000000c0de5'
const coinbase = '0x2adc25665018aa1fe0e6bc666dac8fc2697ff9ba'
const noLogs = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'

const account = (balance: string, code = '0x', storage = {}, nonce = '0x0') => ({
  balance,
  nonce,
  code,
  storage,
})

/** The contract adds one and one and keeps it: 21,000 + 3 + 3 + 3 + 3 + 22,100 gas. */
const gasUsed = 43_112n
const pre = {
  [sender]: account('0x0de0b6b3a7640000'),
  [contract]: account('0x0', '0x600160010160005500'),
}

const after: StateTest['pre'] = {
  [sender]: account(`0x${(10n ** 18n - gasUsed * 10n).toString(16)}`, '0x', {}, '0x1'),
  [contract]: account('0x0', '0x600160010160005500', { '0x00': '0x02' }),
}

const rootOf = (state: StateTest['pre']): string => toHex(createInMemoryState(state).stateRoot())

const test = (fork: string, hash: string, change: object = {}, expectation: object = {}) => ({
  env: {
    currentCoinbase: coinbase,
    currentDifficulty: '0x020000',
    currentRandom: '0x00',
    currentGasLimit: '0xff112233445566',
    currentNumber: '0x01',
    currentTimestamp: '0x03e8',
    currentBaseFee: '0x0a',
    currentExcessBlobGas: '0x00',
  },
  pre,
  transaction: {
    data: ['0x'],
    gasLimit: ['0x061a80'],
    gasPrice: '0x0a',
    nonce: '0x00',
    secretKey,
    to: contract,
    value: ['0x00'],
    ...change,
  },
  post: { [fork]: [{ hash, logs: noLogs, indexes: { data: 0, gas: 0, value: 0 }, ...expectation }] },
})

let evm: Evm
const folder = mkdtempSync(join(tmpdir(), 'perihelion-statetest-'))
beforeAll(async () => {
  evm = createEvm(await loadEvmModules(), precompilesAt)
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (tests: object) => {
  const file = join(folder, 'test.json')
  writeFileSync(file, JSON.stringify(tests))
  return runStateTestFile(evm, file)
}

describe('the state test runner', () => {
  it('passes a case whose state and logs are as expected', () => {
    expect(run({ sum: test('Cancun', rootOf(after)) })).toEqual([
      { name: 'sum', fork: 'Cancun', index: 0, pass: true, stateRoot: rootOf(after) },
    ])
  })

  it('fails on another state, and says which root it has', () => {
    const [result] = run({ sum: test('Cancun', rootOf(pre)) })
    expect(result).toMatchObject({
      pass: false,
      stateRoot: rootOf(after),
      error: `state root is not ${rootOf(pre)}`,
    })
  })

  it('fails on other logs', () => {
    const [result] = run({ sum: test('Cancun', rootOf(after), {}, { logs: rootOf(pre) }) })
    expect(result).toMatchObject({ pass: false, error: 'logs differ' })
  })

  it('expects a rejection only if the test names an exception', () => {
    const exception = { expectException: 'TransactionException.NONCE_MISMATCH_TOO_HIGH' }
    const another = { expectException: 'TransactionException.SENDER_NOT_EOA' }
    const either = { expectException: `${another.expectException}|${exception.expectException}` }
    const tooHigh = { nonce: '0x05' }
    const outcomes = [
      test('Cancun', rootOf(pre), tooHigh, exception),
      test('Cancun', rootOf(pre), tooHigh),
      test('Cancun', rootOf(after), {}, exception),
      test('Cancun', rootOf(after), tooHigh, exception),
      test('Cancun', rootOf(pre), tooHigh, another),
      test('Cancun', rootOf(pre), tooHigh, either),
    ].map((one) => run({ one })[0])
    expect(outcomes.map((result) => result?.pass)).toEqual([true, false, false, false, false, true])
  })

  it('takes values that do not fit for what they are', () => {
    const value = { value: ['0x:bigint 0x10000000000000000000000000000000000000000000000000000000000000001'] }
    const exception = { expectException: 'TransactionException.RLP_INVALID_VALUE' }
    expect(run({ one: test('Cancun', rootOf(pre), value, exception) })[0]?.pass).toBe(true)
  })

  it('gives the beneficiary its reward of nothing, as each fork does', () => {
    const free = { gasPrice: '0x00', to: '0x0000000000000000000000000000000000000099' }
    // Gas is free and nothing is sent: the sender's nonce, and before Spurious Dragon two empty accounts.
    const nonceOnly = { ...pre, [sender]: account('0x0de0b6b3a7640000', '0x', {}, '0x1') }
    const touched = { ...nonceOnly, [coinbase]: account('0x0'), [free.to]: account('0x0') }
    expect(run({ one: test('EIP158', rootOf(nonceOnly), free) })[0]?.error).toBeUndefined()
    expect(run({ one: test('Frontier', rootOf(touched), free) })[0]?.error).toBeUndefined()
  })

  it('gives it also where the transaction is rejected, and takes tests that do not', () => {
    const exception = { expectException: 'TransactionException.NONCE_MISMATCH_TOO_HIGH' }
    const tooHigh = { nonce: '0x05' }
    const touched = rootOf({ ...pre, [coinbase]: account('0x0') })
    const passes = (fork: string, root: string) => run({ one: test(fork, root, tooHigh, exception) })[0]?.pass
    expect(passes('Frontier', touched)).toBe(true)
    expect(passes('Frontier', rootOf(pre))).toBe(true)
    expect(passes('EIP158', rootOf(pre))).toBe(true)
    expect(passes('EIP158', touched)).toBe(false)
  })

  it('names a fork that it does not know', () => {
    expect(run({ one: test('Atlantis', rootOf(after)) })[0]).toMatchObject({
      pass: false,
      error: 'fork Atlantis is not known',
    })
  })
})
