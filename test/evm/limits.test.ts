import { beforeAll, describe, expect, it } from 'vitest'
import { fromBigInt, toBigInt } from '../../src/base/encoding/bytes.ts'
import type { Fork } from '../../src/chain/config/forks.ts'
import { ethereumLimits } from '../../src/chain/config/limits.ts'
import { parseGenesis } from '../../src/chain/genesis/genesis.ts'
import type { EvmStateReader } from '../../src/chain/state/evmState.ts'
import { checkGasLimit, largestBlockGas } from '../../src/evm/block/largestBlockGas.ts'
import type { Evm } from '../../src/evm/evm.ts'
import {
  account,
  address,
  begin,
  code,
  contract,
  createTestMachine,
  sender,
  transact,
  worldWithCode,
} from '../support/evm/support.ts'
import { slow } from '../support/slow.ts'

/** The gas of one transaction. `npm run long -- evmLimits` takes 10^9, at which every region was too small once. */
const gasLimit = BigInt(process.env.EVM_LIMITS_GAS ?? 20_000_000)
const timeout = 600_000

let evm: Evm

beforeAll(async () => {
  evm = await createTestMachine()
})

/** Repeats a body, above a counter on the stack, until 100,000 gas are left; returns the counter. */
const repeat = (body: string): string => `5f 5b ${body} 6001 01 620186a0 5a 11 6001 57 5f52 60205ff3`
/** The same for forks without PUSH0. */
const repeatEarly = (body: string): string =>
  `6000 5b ${body} 6001 01 620186a0 5a 11 6002 57 600052 60206000f3`

const run = (program: string, fork: Fork = 'prague', state: EvmStateReader = worldWithCode(program)) => {
  const { success, error, output, logs } = transact(begin(evm, state, fork), { gasLimit })
  return { success, error, count: toBigInt(output), logs: logs.length }
}

describe(`a transaction of ${gasLimit} gas`, () => {
  const least = (gasEach: bigint): bigint => (gasLimit - 200_000n) / gasEach

  const cases: readonly (readonly [name: string, body: string, gasEach: bigint])[] = [
    ['transient slots', '80 80 5d', 150n],
    ['writes of one slot', '80 5f 55', 150n],
    ['cold slots', '80 54 50', 2_200n],
    ['new slots', '6001 81 55', 22_200n],
    ['cold accounts', '80 31 50', 2_700n],
    ['transfers to new accounts', '5f 5f 5f 5f 6001 85 618000 01 5f f1 50', 35_000n],
    ['created contracts', '5f 5f 5f f0 50', 33_000n],
  ]

  it.each(cases)(
    'fills the EVM with %s',
    (_name, body, gasEach) => {
      const program = repeat(body)
      const world = worldWithCode(program, account(contract, { balance: 10n ** 9n, code: code(program) }))
      expect(run(program, 'prague', world)).toMatchObject({ success: true, error: undefined })
      expect(run(program, 'prague', world).count).toBeGreaterThan(least(gasEach))
    },
    timeout,
  )

  it.each([
    ['empty logs', '5f 5f a0', 450n],
    ['logs with topics', '80 80 80 80 5f 5f a4', 2_000n],
    ['logs of a kilobyte', '610400 5f a0', 8_700n],
  ])(
    'leaves %s',
    (_name, body, gasEach) => {
      const { success, count, logs } = run(repeat(body))
      expect(success).toBe(true)
      expect(BigInt(logs)).toBe(count)
      expect(count).toBeGreaterThan(least(gasEach))
    },
    timeout,
  )

  it(
    'takes everything back where a call fails that wrote much',
    () => {
      // The inner code fills transient storage, logs and one slot, and reverts.
      const inner = '5f 5b 80 80 5d 80 5f 55 5f 5f a0 6001 01 620186a0 5a 11 6001 57 5f 5f fd'
      // Memory and transient storage of the caller are as they were.
      const outer =
        '602a 5f52 602a 6005 5d 5f 5f 5f 5f 60aa 5a f4 50 6005 5c 5f51 14 5f54 15 16 5f52 60205ff3'
      const world = worldWithCode(outer, account(address(0xaan), { code: code(inner) }))
      expect(run(outer, 'prague', world)).toMatchObject({ success: true, count: 1n, logs: 0 })
    },
    timeout,
  )

  it(
    'keeps memory and input of frames in their places while the heap grows',
    () => {
      // Hands 32 bytes to a call that fills transient storage and then returns its input.
      const inner = '5f 5b 80 80 5d 6001 01 620186a0 5a 11 6001 57 5f 35 5f52 60205ff3'
      const outer = `${'7f'.concat('c5'.repeat(32))} 6040 52 6020 6080 6020 6040 60aa 5a f4 50 6040 51 6080 51 14 5f52 60205ff3`
      const world = worldWithCode(outer, account(address(0xaan), { code: code(inner) }))
      expect(run(outer, 'prague', world)).toMatchObject({ success: true, count: 1n })
    },
    timeout,
  )

  it(
    'returns as much as memory can hold',
    () => {
      const words = BigInt(Math.floor(Math.sqrt(Number(gasLimit) * 0.8 * 512))) - 1_536n
      const bytes = (words * 32n).toString(16).padStart(8, '0')
      const world = worldWithCode(
        '5f 5f 5f 5f 5f 60aa 5a f1 50 3d 5f52 60205ff3',
        account(address(0xaan), { code: code(`63${bytes} 5f f3`) }),
      )
      expect(run('', 'prague', world)).toMatchObject({ success: true, count: words * 32n })
    },
    timeout,
  )

  it.each(['prague', 'london'] as const)(
    'has many frames with large memories, also of init code: %s',
    (fork) => {
      // Each frame takes its share of memory and creates the next from it: a copy of itself.
      const depth = Math.min(1_000, Number(gasLimit) / 100_000)
      const words = Math.floor(Math.sqrt((Number(gasLimit) / depth / 1.2 - 33_000) * 0.9 * 512))
      const size = fork === 'london' ? Math.max(64, words * 32) : 64
      const offset = Math.max(0, words * 32 - size - 32)
      const push4 = (value: number): string => `63${value.toString(16).padStart(8, '0')}`
      const self = `6040 6000 ${push4(offset)} 39 ${push4(size)} ${push4(offset)} 6000 f0 600052 60206000f3`
      expect(run(self, fork)).toMatchObject({ success: true, error: undefined })
    },
    timeout,
  )

  it(
    'looks at more code than is kept',
    () => {
      const program = repeat('80 640100000000 01 3b 50')
      const inner = worldWithCode(program)
      const length = 24_576
      const state: EvmStateReader = {
        ...inner,
        account: (at) =>
          toBigInt(at) >> 32n === 1n
            ? { nonce: 1n, balance: 0n, codeHash: fromBigInt(toBigInt(at), 32) }
            : inner.account(at),
        storage: (at, slot) => inner.storage(at, slot),
        hasStorage: (at) => inner.hasStorage(at),
        code: (hash) =>
          hash.subarray(0, 12).every((byte) => byte === 0) ? new Uint8Array(length) : inner.code(hash),
      }
      const { success, count } = run(program, 'prague', state)
      expect(success).toBe(true)
      expect(count).toBeGreaterThan(least(2_800n))
    },
    timeout,
  )
})

describe('what a block may hold', () => {
  it('is less where accounts cost little, and more where transactions are bounded', () => {
    expect(largestBlockGas('frontier', ethereumLimits)).toBe(200_000_000n)
    expect(largestBlockGas('prague', ethereumLimits)).toBe(1_000_000_000n)
    expect(largestBlockGas('osaka', ethereumLimits)).toBe(10_000_000_000n)
  })

  it('is checked by the rules that a chain begins with', () => {
    const config = parseGenesis(
      JSON.stringify({ config: { chainId: 1, homesteadBlock: 0, eip150Block: 0 }, alloc: {} }),
    ).config
    expect(checkGasLimit(config, 1_000_000_000n, 0n)).toEqual([])
    expect(checkGasLimit(config, 1_000_000_001n, 0n)).toEqual([
      expect.stringContaining('at most 1000000000 is possible'),
    ])
  })

  it('is enough for the rules of Frontier, whose accounts cost 20 gas', { ...slow, timeout }, () => {
    const gas =
      gasLimit < largestBlockGas('frontier', ethereumLimits)
        ? gasLimit
        : largestBlockGas('frontier', ethereumLimits)
    for (const body of ['80 31 50', '80 54 50']) {
      const execution = begin(evm, worldWithCode(repeatEarly(body)), 'frontier')
      const transaction = { type: 0 as const, chainId: undefined, gasLimit: gas }
      expect(transact(execution, transaction, sender)).toMatchObject({ success: true })
    }
  })
})
