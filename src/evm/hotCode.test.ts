import { beforeAll, describe, expect, it } from 'vitest'
import { randomCase } from '../../test/fuzz/cases.ts'
import { runOnMachine } from '../../test/fuzz/subject.ts'
import { account, address, begin, code, push, run, worldWithCode } from '../../test/support/evm/support.ts'
import { createRandom } from '../../test/support/random.ts'
import { slow } from '../../test/support/slow.ts'
import { createEvm, type Evm } from './evm.ts'
import { loadEvmModules } from './host/evmModules.ts'
import { precompilesAt } from './precompiles/precompileTable.ts'
import type { CallResult } from './types.ts'

let usual: Evm
let asItIs: Evm
let decoded: Evm

beforeAll(async () => {
  const modules = await loadEvmModules()
  usual = createEvm(modules, precompilesAt)
  asItIs = createEvm(modules, precompilesAt, { patience: 1_000_000_000 })
  decoded = createEvm(modules, precompilesAt, { patience: 0 })
})

describe('code that runs as it is and code that was decoded', () => {
  const outcome = (evm: Evm, program: string, gasLimit: bigint): Omit<CallResult, 'logs'> => {
    const { logs: _, ...rest } = run(begin(evm, worldWithCode(program)), { gasLimit })
    return rest
  }

  // Everything after the first expensive instruction is in one block, whose fixed gas is charged at its beginning.
  const programs: readonly (readonly [name: string, program: string])[] = [
    ['memory, then return data that is not there', `6110 00 51 50 6001 5f 5f 3e ${'5f50'.repeat(50)}`],
    ['a constant offset of memory', `612000 51 50 6001 5f 5f 3e ${'5f50'.repeat(50)}`],
    ['a stored constant', `6001 612000 52 6001 5f 5f 3e ${'5f50'.repeat(50)}`],
    ['a hash', `612000 5f 20 50 6001 5f 5f 3e ${'5f50'.repeat(50)}`],
    ['a power', `${push(2n ** 200n)} 6002 0a 50 6001 5f 5f 3e ${'5f50'.repeat(50)}`],
    ['a cold slot', `6005 54 50 6001 5f 5f 3e ${'5f50'.repeat(50)}`],
    ['a cold account', `6155 55 31 50 6001 5f 5f 3e ${'5f50'.repeat(50)}`],
    ['code of a cold account', `6155 55 3b 50 6020 5f 5f 6166 66 3c 6001 5f 5f 3e ${'5f50'.repeat(50)}`],
    ['the hash of the code of a cold account', `6155 55 3f 50 6001 5f 5f 3e ${'5f50'.repeat(50)}`],
    ['a log', `6001 6020 5f a1 6001 5f 5f 3e ${'5f50'.repeat(50)}`],
    ['copies', `6120 00 5f 5f 37 6120 00 5f 5f 39 6120 00 5f 6020 5e 6001 5f 5f 3e ${'5f50'.repeat(50)}`],
    ['a stack that is too short behind', `612000 51 50 50 ${'5f50'.repeat(50)}`],
    ['an unknown instruction behind', `612000 51 50 ${'5f50'.repeat(50)} 0c`],
    ['a jump to nowhere behind', `612000 51 50 ${'5f50'.repeat(50)} 60ff 56`],
    ['a slot, then a jump', `6001 5f 55 6004 56 5b ${'5f50'.repeat(50)} 6001 6005 55`],
  ]

  it.each(programs)('end in the same way with any gas: %s', (_name, program) => {
    for (let gas = 21_000n; gas < 24_500n; gas += 7n)
      expect(outcome(decoded, program, gas)).toEqual(outcome(asItIs, program, gas))
  })

  it('end in the same way in random programs with random gas', slow, () => {
    const random = createRandom(5)
    for (let index = 0; index < 150; index++) {
      const one = randomCase(6, index)
      const most = Number(one.transaction.gasLimit)
      const gasLimit = BigInt(21_000 + random.below(Math.max(1, most - 21_000)))
      const test = {
        ...one,
        test: {
          ...one.test,
          transaction: { ...one.test.transaction, gasLimit: [`0x${gasLimit.toString(16)}`] },
          post: {
            [one.forkName]: (one.test.post[one.forkName] ?? []).map(({ txbytes: _, ...rest }) => rest),
          },
        },
      }
      const expected = runOnMachine(asItIs, test)
      expect(runOnMachine(decoded, test), `case ${index}`).toEqual(expected)
      expect(runOnMachine(usual, test), `case ${index}`).toEqual(expected)
    }
  })

  it('change over in the middle of a loop', () => {
    // Counts to 100,000 and adds up; the sum is returned.
    const program = '5f 5f 5b 6001 01 80 91 01 90 80 620186a0 11 6002 57 50 5f52 60205ff3'
    const result = outcome(usual, program, 10_000_000n)
    expect(result).toEqual(outcome(asItIs, program, 10_000_000n))
    expect(BigInt(`0x${Buffer.from(result.output).toString('hex')}`)).toBe((100_000n * 100_001n) / 2n)
  })
})

describe('the work for code', () => {
  const full = 24_576
  // Calls 256 contracts in turn forever, with little gas each.
  const rotation = '5f 5b 5f5f5f5f5f 85 60ff 16 62010000 01 6103e8 f1 50 6001 01 6001 56'
  const contracts = (ending: string): ReturnType<typeof account>[] =>
    Array.from({ length: 256 }, (_, index) => {
      const bytes = new Uint8Array(full).fill(0x5b)
      // A jump over a number that tells one from the other.
      bytes.set(
        code(`61${(full - 1 - ending.length / 2).toString(16)} 56 61${index.toString(16).padStart(4, '0')}`),
      )
      bytes.set(code(ending), full - ending.length / 2)
      return account(address(0x10000n + BigInt(index)), { code: bytes })
    })

  const rotate = (evm: Evm, gasLimit: bigint): bigint => {
    const execution = begin(evm, worldWithCode(rotation, ...contracts('5b00')))
    const before = evm.codeWork()
    expect(run(execution, { gasLimit }).error).toBe('out of gas')
    return evm.codeWork() - before
  }

  it('is done once for 256 contracts of the largest size in turn', () => {
    expect(rotate(usual, 2_000_000n)).toBeLessThan(3n * 256n * BigInt(full) + 10_000n)
    // What is known stays known: thirty thousand more calls cost nothing more of it.
    expect(rotate(usual, 4_000_000n)).toBeLessThan(100_000n)
  })

  it('would be done again and again if all code was decoded', slow, () => {
    expect(rotate(decoded, 1_000_000n)).toBeGreaterThan(6n * 256n * BigInt(full))
  })

  it('is bounded by the gas where decoded code must go', slow, async () => {
    // Each contract runs until it is hot; together their streams are more than is kept.
    const evm = createEvm(await loadEvmModules(), precompilesAt, { patience: 1 })
    // Jumps to itself until the gas that it was given is gone.
    const others = contracts('615ffd5b8056')
    const loop = '5f 5b 5f5f5f5f5f 85 60ff 16 62010000 01 6204e200 f1 50 6001 01 6001 56'
    const execution = begin(evm, worldWithCode(loop, ...others))
    const before = evm.codeWork()
    const gasLimit = 60_000_000n
    expect(run(execution, { gasLimit }).error).toBe('out of gas')
    expect(evm.codeWork() - before).toBeLessThan(gasLimit)
  })

  it('is not done for what does not run: init code of the largest size without a jump', () => {
    // Creates from 49,152 bytes of JUMPDEST that begin with STOP, again and again.
    const program = '5b 61c000 5f 5f f0 50 5f 56'
    const execution = begin(usual, worldWithCode(program))
    const before = usual.codeWork()
    const result = run(execution, { gasLimit: 5_000_000n })
    expect(result.error).toBe('out of gas')
    // Copied once each: 32,000 gas and more.
    expect(usual.codeWork() - before).toBeLessThan((2n * 5_000_000n * 49_152n) / 32_000n)
  })
})
