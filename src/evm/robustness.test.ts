import { Worker } from 'node:worker_threads'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  account,
  address,
  begin,
  code,
  contract,
  createTestMachine,
  push,
  run,
  sender,
  transact,
  worldOf,
  worldWithCode,
} from '../../test/support/evm/support.ts'
import { toBigInt } from '../base/encoding/bytes.ts'
import { createEvm, type Evm } from './evm.ts'
import { type EvmModules, loadEvmModules } from './host/evmModules.ts'
import { InterruptedError } from './types.ts'

const huge = 2n ** 256n - 1n

let evm: Evm
let modules: EvmModules

beforeAll(async () => {
  evm = await createTestMachine()
  modules = await loadEvmModules()
})

const interruptionOf = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof InterruptedError) return error.reason
    throw error
  }
  return 'none'
}

describe('code that no one should write', () => {
  const cases: readonly (readonly [name: string, program: string, error: string | undefined])[] = [
    ['nothing', '', undefined],
    ['a PUSH without its data', '61', undefined],
    ['a PUSH32 cut short', '7f01', undefined],
    ['an unknown instruction', '0c', 'invalid opcode'],
    ['INVALID', 'fe', 'invalid opcode'],
    ['a stack too short', '01', 'stack underflow'],
    ['a stack too short after a jump', '6003 56 5b 50', 'stack underflow'],
    ['a jump into data', '6001 56 5b', 'invalid jump destination'],
    ['a jump to 2^256-1', `${push(huge)} 56`, 'invalid jump destination'],
    ['a conditional jump to 2^64', `6001 ${push(2n ** 64n)} 57`, 'invalid jump destination'],
    ['a jump behind the code', '60ff 56', 'invalid jump destination'],
    ['an endless loop', '5b 5f 56', 'out of gas'],
    ['an endless push', '5b 5f 5f 56', 'stack overflow'],
    ['memory at 2^256-1', `${push(huge)} 51`, 'out of gas'],
    ['memory at 2^63', `5f ${push(2n ** 63n)} 52`, 'out of gas'],
    ['memory at 2^32', `5f ${push(2n ** 32n)} 53`, 'out of gas'],
    ['a hash of 2^256-1 bytes', `${push(huge)} 5f 20`, 'out of gas'],
    ['a copy from 2^256-1 to 2^256-1', `${push(huge)} ${push(huge)} ${push(huge)} 37`, 'out of gas'],
    ['a copy of nothing to 2^256-1', `5f ${push(huge)} ${push(huge)} 5e`, undefined],
    ['call data at 2^256-1', `${push(huge)} 35`, undefined],
    ['code at 2^256-1', `6020 ${push(huge)} 5f 39`, undefined],
    ['return data that is not there', '6001 5f 5f 3e', 'return data out of bounds'],
    ['return data at 2^256-1', `5f ${push(huge)} 5f 3e`, 'return data out of bounds'],
    ['a return of 2^64 bytes', `${push(2n ** 64n)} 5f f3`, 'out of gas'],
    ['a log of 2^40 bytes', `${push(2n ** 40n)} 5f a0`, 'out of gas'],
    ['a call with 2^256-1 gas', `5f 5f 5f 5f 5f 60aa ${push(huge)} f1`, undefined],
    ['a call with its output at 2^256-1', `6001 ${push(huge)} 5f 5f 5f 60aa 5a f1`, 'out of gas'],
    ['a creation of 2^256-1 bytes', `${push(huge)} 5f 5f f0`, 'out of gas'],
    ['a creation of one byte too many', '61c001 5f 5f f0', 'max initcode size exceeded'],
    ['a creation with coins it has not', `5f 5f ${push(huge)} f0`, undefined],
    ['a block hash of 2^256-1', `${push(huge)} 40`, undefined],
    ['a blob hash of 2^256-1', `${push(huge)} 49`, undefined],
    ['2^256-1 to itself', `${push(huge)} ${push(huge)} 0a`, undefined],
  ]

  it.each(cases)('%s', (_name, program, error) => {
    for (const tracer of [undefined, {}]) {
      const more = tracer === undefined ? {} : { tracer }
      expect(run(begin(evm, worldWithCode(program), 'osaka', more)).error).toBe(error)
    }
  })

  it('fills the stack to 1024 and not to 1025', () => {
    const full = '5f'.repeat(1024)
    expect(run(begin(evm, worldWithCode(full))).error).toBeUndefined()
    expect(run(begin(evm, worldWithCode(`${full}5f`))).error).toBe('stack overflow')
    expect(run(begin(evm, worldWithCode(`${full}58`), 'osaka', { tracer: {} })).error).toBe('stack overflow')
  })

  it('calls 1024 deep and not 1025', () => {
    // Counts frames in slot 0 and calls itself with all the gas there is.
    const program = '5f54 6001 01 5f55 5f 5f 5f 5f 5f 30 5a f1 00'
    const execution = begin(evm, worldWithCode(program))
    expect(run(execution, { gasLimit: 2n ** 62n }).error).toBeUndefined()
    expect(toBigInt(execution.evmState.storage(contract, new Uint8Array(32)))).toBe(1025n)
  })

  it('takes 10 MB of init code where no rule forbids it', () => {
    const data = new Uint8Array(10 * 2 ** 20).fill(0x5b)
    const execution = begin(evm, worldOf(account(sender, { balance: 10n ** 24n })), 'london')
    const result = run(execution, { to: undefined, data, gasLimit: 10n ** 10n })
    expect(result.error).toBeUndefined()
    expect(result.gasUsed).toBe(53_000n + 17n * BigInt(data.length))
  })

  it('counts gas near 2^63', () => {
    const result = run(begin(evm, worldWithCode('5a 5f52 60205ff3')), { gasLimit: 2n ** 64n - 1n })
    expect(toBigInt(result.output)).toBe(2n ** 63n - 2n - 2n)
    expect(result.gasUsed).toBeLessThan(22_000n)
  })
})

describe('limits', () => {
  const endless = '5b 5f 56'

  it('stops at the deadline and is as it was', () => {
    const state = worldWithCode('6001 5f55 5b 6004 56')
    const execution = begin(evm, state, 'osaka', { limits: { deadline: performance.now() + 20 } })
    const start = performance.now()
    expect(interruptionOf(() => run(execution, { gasLimit: 2n ** 60n }))).toBe('deadline')
    expect(performance.now() - start).toBeLessThan(5_000)
    expect(execution.drainChanges().accounts).toEqual([])
    expect(run(execution, { gasLimit: 100_000n }).error).toBe('out of gas')
    expect(execution.evmState.storage(contract, new Uint8Array(32))).toEqual(new Uint8Array(32))
  })

  it('stops at the gas budget, also when the gas goes to calls', () => {
    const budget = { limits: { gasBudget: 2_000_000n } }
    expect(interruptionOf(() => run(begin(evm, worldWithCode(endless), 'osaka', budget)))).toBe('gas budget')
    const caller = worldWithCode(
      '5b 5f 5f 5f 5f 5f 60aa 5a f1 50 5f 56',
      account(address(0xaan), { code: code('5f50') }),
    )
    expect(interruptionOf(() => run(begin(evm, caller, 'osaka', budget)))).toBe('gas budget')
    expect(run(begin(evm, worldWithCode(endless), 'osaka', budget), { gasLimit: 1_000_000n }).error).toBe(
      'out of gas',
    )
  })

  it('stops inside a precompile, also at the very end', () => {
    const slow = {
      gas: () => 1n,
      run: (_input: Uint8Array, interrupt?: () => boolean) => (interrupt?.() ? undefined : Uint8Array.of(1)),
    }
    const limited = createEvm(modules, () => new Map([[5, slow]]))
    const state = worldWithCode('5f5f5f5f5f 6005 5a f1 5f52 60205ff3')
    const late = { limits: { deadline: performance.now() - 1 } }
    expect(interruptionOf(() => run(begin(limited, state, 'osaka', late)))).toBe('deadline')
    const direct = { to: address(5n) }
    expect(interruptionOf(() => run(begin(limited, state, 'osaka', late), direct))).toBe('deadline')
    expect(run(begin(limited, state), direct).output).toEqual(Uint8Array.of(1))
  })

  it('stops at the memory limit, and the EVM continues with other executions', () => {
    const state = worldWithCode(`5f ${push(0x7fff0000n)} 52`)
    const execution = begin(evm, state)
    expect(interruptionOf(() => run(execution, { gasLimit: 2n ** 62n }))).toBe('memory limit')
    expect(() => run(execution)).toThrow('this execution is over')
    expect(run(begin(evm, worldWithCode('00'))).success).toBe(true)
  })

  it('ends an execution when the next begins', () => {
    const first = begin(evm, worldWithCode('00'))
    begin(evm, worldWithCode('00'))
    expect(() => first.drainChanges()).toThrow('this execution is over')
  })

  it('passes on the errors of the state reader', () => {
    const state = worldWithCode('5f54')
    const broken = begin(evm, {
      account: (at) => state.account(at),
      code: (hash) => state.code(hash),
      hasStorage: (at) => state.hasStorage(at),
      storage: () => {
        throw new Error('the disk is gone')
      },
    })
    expect(() => run(broken)).toThrow('the disk is gone')
    expect(() => run(broken)).toThrow('this execution is over')
    expect(run(begin(evm, state)).success).toBe(true)
  })
})

describe('many times', () => {
  it('does not grow in 10,000 executions', () => {
    // Touches memory, storage, logs and init code, and fails at the end.
    const program = `6001 5f55 ${push(2n ** 16n)} 51 6020 5f a0 6020 5f 5f f0 fe`
    const state = worldWithCode(program)
    const once = (): void => {
      expect(run(begin(evm, state)).error).toBe('invalid opcode')
    }
    for (let i = 0; i < 1_000; i++) once()
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    for (let i = 0; i < 10_000; i++) once()
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 2 ** 20)
  })

  // Contracts of 24,000 one-byte blocks: some 500 KB each when decoded; the code region holds a part of them.
  const bigContracts = (count: number, ending: (next: string) => string): ReturnType<typeof account>[] =>
    Array.from({ length: count }, (_, i) => {
      const bytes = new Uint8Array(24_000).fill(0x5b)
      bytes.set(code(`61${i.toString(16).padStart(4, '0')} 50`))
      const end = code(ending((0x10001 + i).toString(16).padStart(6, '0')))
      bytes.set(end, bytes.length - end.length)
      return account(address(0x10000n + BigInt(i)), { code: bytes })
    })

  it('runs more code than it keeps, one after the other', () => {
    const loop = '5f 5b 5f5f5f5f 84 62010000 01 5a f4 50 6001 01 80 610190 11 6001 57'
    const others = bigContracts(400, () => '5f54 6001 01 5f55 00')
    const execution = begin(evm, worldWithCode(loop, ...others))
    for (let pass = 1; pass <= 2; pass++) {
      expect(run(execution, { gasLimit: 10n ** 9n }).error).toBeUndefined()
      expect(toBigInt(execution.evmState.storage(contract, new Uint8Array(32)))).toBe(BigInt(400 * pass))
    }
  })

  it('runs more code than it keeps, one inside the other', () => {
    const others = bigContracts(300, (next) => `5f54 6001 01 5f55 5f5f5f5f 62${next} 5a f4 00`)
    const execution = begin(evm, worldWithCode('5f5f5f5f 62010000 5a f4 00', ...others))
    for (let pass = 1; pass <= 2; pass++) {
      expect(run(execution, { gasLimit: 10n ** 10n }).error).toBeUndefined()
      expect(toBigInt(execution.evmState.storage(contract, new Uint8Array(32)))).toBe(BigInt(300 * pass))
    }
  })

  it('runs in a worker on the same compiled modules', async () => {
    const source = `
      const { parentPort, workerData } = require('node:worker_threads')
      parentPort.postMessage(WebAssembly.Module.exports(workerData.fast).some(({ name }) => name === 'execute'))`
    const worker = new Worker(source, { eval: true, workerData: modules })
    const reply = await new Promise((resolve, reject) =>
      worker.once('message', resolve).once('error', reject),
    )
    expect(reply).toBe(true)
    await worker.terminate()
  })

  it('keeps deployed code through later transactions', () => {
    // Init code that deploys what follows it: 6001 5f55 (slot 0 = 1).
    const init = code('6004 80 6009 5f 39 5f f3 6001 5f55')
    const execution = begin(evm, worldOf(account(sender, { balance: 10n ** 24n })))
    const { created, success } = transact(execution, { to: undefined, data: init })
    expect(success).toBe(true)
    const at = created as Uint8Array
    expect(transact(execution, { nonce: 1n, to: at }).success).toBe(true)
    expect(toBigInt(execution.evmState.storage(at, new Uint8Array(32)))).toBe(1n)
    const codeHash = execution.evmState.account(at)?.codeHash as Uint8Array
    expect(execution.evmState.code(codeHash)).toEqual(code('6001 5f55'))
    const { accounts, code: deployed } = execution.drainChanges()
    expect(deployed).toEqual([[codeHash, code('6001 5f55')]])
    expect(accounts).toHaveLength(3)
    expect(execution.drainChanges()).toEqual({ accounts: [], code: [] })
  })
})
