import { beforeAll, describe, expect, it } from 'vitest'
import { randomProgram } from '../../../test/support/evm/randomProgram.ts'
import {
  account,
  address,
  begin,
  code,
  contract,
  createTestMachine,
  run,
  word,
  worldWithCode,
} from '../../../test/support/evm/support.ts'
import { createRandom } from '../../../test/support/random.ts'
import { toBigInt } from '../../base/encoding/bytes.ts'
import type { Evm } from '../evm.ts'
import type { InMemoryState } from '../stateTest/inMemoryState.ts'
import type { CallMessage, Tracer } from '../types.ts'

let evm: Evm

beforeAll(async () => {
  evm = await createTestMachine()
})

interface Step {
  readonly pc: number
  readonly op: number
  readonly gas: bigint
  readonly cost: bigint
  readonly depth: number
  readonly stack: readonly bigint[]
  readonly error: string | undefined
}

const record = (state: InMemoryState, fields: Partial<CallMessage> = {}) => {
  const steps: Step[] = []
  const events: string[] = []
  const tracer: Tracer = {
    step: ({ pc, op, gas, cost, depth, stackSize, stack, error }) => {
      steps.push({
        pc,
        op,
        gas,
        cost,
        depth,
        stack: Array.from({ length: stackSize }, (_, i) => stack(i)),
        error,
      })
    },
    fault: ({ op, error }) => events.push(`failed ${op.toString(16)} ${error}`),
    enter: ({ kind, depth, to, value, gas, input, isPrecompile }) => {
      const what = `${kind} ${toBigInt(to).toString(16)} value ${value} gas ${gas} input ${input.length}`
      events.push(`enter ${depth} ${what}${isPrecompile ? ' precompile' : ''}`)
    },
    exit: ({ depth, gasUsed, output, error }) =>
      events.push(`exit ${depth} gas ${gasUsed} output ${output.length} ${error ?? 'ok'}`),
    log: ({ topics, data }, depth) => events.push(`log ${depth} topics ${topics.length} data ${data.length}`),
    storageRead: (_at, slot, value) => events.push(`sload ${toBigInt(slot)} = ${toBigInt(value)}`),
    storageWrite: (_at, slot, before, after) =>
      events.push(`sstore ${toBigInt(slot)} ${toBigInt(before)} to ${toBigInt(after)}`),
    balanceRead: (at, balance) => events.push(`balance ${toBigInt(at).toString(16)} = ${balance}`),
  }
  const result = run(begin(evm, state, 'prague', { tracer }), { gasLimit: 121_000n, ...fields })
  return { steps, events, result }
}

describe('a tracer', () => {
  it('gets once what an account does again with the same slot or address, where it asks for that', () => {
    const told: string[] = []
    const tracer: Tracer = {
      steps: [0x54, 0x55, 0x31, 0xfa, 0x50],
      stepsOnce: new Set([0x54, 0x55, 0x31, 0xfa]),
      step: ({ op, depth, stack }) =>
        told.push(`${depth} ${op.toString(16)}${op === 0x50 ? '' : ` ${stack(op === 0xfa ? 1 : 0)}`}`),
    }
    // Slot 1 twice, slot 2, a write of slot 1 and another, the balance of 1 twice, and a call of itself, which begins again.
    const reads = '6001 54 50 6001 54 50 6002 54 50'
    const writes = '5f 6001 55 5f 6001 55'
    const balances = '6001 31 50 6001 31 50'
    // Only the outermost call has no data; the inner one ends before it calls.
    const calls = '36 6031 57 5f5f 6001 5f 30 5a fa 5f5f 6001 5f 30 5a fa'
    const state = worldWithCode(`${reads} ${balances} ${calls} ${writes} 00 5b 00`)
    run(begin(evm, state, 'prague', { tracer }), { gasLimit: 200_000n })
    const self = toBigInt(contract)
    const outer = ['1 54 1', '1 50', '1 50', '1 54 2', '1 50', '1 31 1', '1 50', '1 50', `1 fa ${self}`]
    // The same account again: nothing that was reported of it is reported in the inner calls.
    const inner = ['2 50', '2 50', '2 50', '2 50', '2 50']
    expect(told).toEqual([...outer, ...inner, ...inner, '1 55 1'])
  })

  it('sees each instruction with its gas and the stack before it', () => {
    const { steps } = record(worldWithCode('6001 6002 01 5f52 5f54 50 00'))
    expect(steps.map(({ pc, op, cost, stack }) => [pc, op, cost, stack])).toEqual([
      [0, 0x60, 3n, []],
      [2, 0x60, 3n, [1n]],
      [4, 0x01, 3n, [2n, 1n]],
      [5, 0x5f, 2n, [3n]],
      [6, 0x52, 6n, [0n, 3n]],
      [7, 0x5f, 2n, []],
      [8, 0x54, 2100n, [0n]],
      [9, 0x50, 2n, [0n]],
      [10, 0x00, 0n, []],
    ])
    expect(steps[0]?.gas).toBe(100_000n)
    for (const [i, step] of steps.entries()) {
      const next = steps[i + 1]
      if (next !== undefined) expect(next.gas).toBe(step.gas - step.cost)
    }
  })

  it('is told what a creation returned that cannot be code, which nobody else sees', () => {
    // The init code returns 0xef.
    const { events, steps } = record(worldWithCode('6760ef5f5360015ff3 5f52 6008 6018 5f f0 3d 50 00'))
    expect(events.filter((event) => event.startsWith('exit 1'))).toEqual([
      expect.stringMatching(/ output 1 invalid code: must not begin with 0xef$/),
    ])
    expect(steps.findLast(({ op }) => op === 0x50)?.stack).toEqual([0n, 0n])
  })

  it('sees calls, reads, writes and logs in order', () => {
    const callee = account(address(0xaan), {
      nonce: 1n,
      code: code('5f54 50 6007 5f55 6001 5f5f a1 30 31 50'),
    })
    const { events } = record(worldWithCode('5f5f5f5f5f60aa618000f1 60205f60205f 6004 5a fa', callee), {
      data: word(1n),
    })
    expect(events).toEqual([
      // 32 bytes of call data are paid for before the call.
      `enter 0 CALL c0de00 value 0 gas ${121_000 - 21_000 - 31 * 4 - 16} input 32`,
      'enter 1 CALL aa value 0 gas 32768 input 0',
      'sload 0 = 0',
      'sstore 0 0 to 7',
      'log 2 topics 1 data 0',
      'balance aa = 0',
      expect.stringMatching(/^exit 1 gas \d+ output 0 ok$/),
      expect.stringMatching(/^enter 1 STATICCALL 4 value 0 gas \d+ input 32 precompile$/),
      'exit 1 gas 18 output 32 ok',
      expect.stringMatching(/^exit 0 gas \d+ output 0 ok$/),
    ])
  })

  it('sees failures: before the instruction runs, and while it does', () => {
    const short = record(worldWithCode('01'))
    expect(short.steps).toMatchObject([{ pc: 0, op: 1, cost: 3n, error: 'stack underflow' }])
    const poor = record(worldWithCode('6001 5f55'), { gasLimit: 21_000n + 5n + 20_000n })
    expect(poor.steps.at(-1)).toMatchObject({ op: 0x55, cost: 22_100n, error: 'out of gas' })
    const lost = record(worldWithCode('60ff 56'))
    expect(lost.steps.at(-1)).toMatchObject({ op: 0x56, error: undefined })
    expect(lost.events).toContain('failed 56 invalid jump destination')
  })

  it('sees creations and their end', () => {
    const { events } = record(worldWithCode('5f5f5f f0 33 ff'))
    expect(events.map((event) => event.split(' ').slice(0, 3).join(' '))).toEqual([
      'enter 0 CALL',
      'enter 1 CREATE',
      'exit 1 gas',
      'enter 1 SELFDESTRUCT',
      'exit 1 gas',
      'exit 0 gas',
    ])
  })
})

describe('both builds', () => {
  it('agree on random programs', () => {
    const random = createRandom(2026).below
    for (let i = 0; i < 1_000; i++) {
      const program = randomProgram(random)
      const gasLimit = BigInt(21_040 + random(i % 2 === 0 ? 2_000 : 60_000))
      const results = [undefined, {}].map((tracer) => {
        const state = worldWithCode(
          Buffer.from(program).toString('hex'),
          account(address(1n << 80n), { code: program }),
        )
        const execution = begin(evm, state, 'osaka', tracer === undefined ? {} : { tracer })
        const result = run(execution, { gasLimit, data: Uint8Array.of(1) })
        // The plain build checks a block's stack before it knows costs that depend on operands, so of two errors in one
        // block it may name the later one. Both take all gas.
        const failure =
          result.error === undefined || result.error === 'execution reverted' ? result.error : 'halt'
        return { ...result, error: failure, changes: execution.drainChanges() }
      })
      expect([i, results[0]]).toEqual([i, results[1]])
    }
  })

  it('say the same of a contract that calls itself', () => {
    const state = worldWithCode('5f54 6001 01 80 5f55 6014 10 6016 57 5f5f5f5f5f305af1 5b 00')
    const plain = run(begin(evm, state, 'prague'))
    const traced = run(begin(evm, state, 'prague', { tracer: {} }))
    expect(traced).toEqual(plain)
    expect(begin(evm, state).evmState.account(contract)).toBeDefined()
  })
})
