import { beforeAll, describe, expect, it } from 'vitest'
import { randomProgram } from '../../../test/support/evm/randomProgram.ts'
import {
  account,
  address,
  begin,
  createTestMachine,
  run,
  worldWithCode,
} from '../../../test/support/evm/support.ts'
import { createRandom } from '../../../test/support/random.ts'
import type { Evm } from '../evm.ts'
import { TraceOutput } from './output.ts'
import { StructLogger, type StructLogOptions } from './structLogger.ts'

let evm: Evm

beforeAll(async () => {
  evm = await createTestMachine()
})

const plain = {
  enableMemory: false,
  disableStack: false,
  disableStorage: false,
  enableReturnData: false,
  limit: 0,
}

const logOf = (program: Uint8Array, gasLimit: bigint, options: StructLogOptions): string => {
  const state = worldWithCode(
    Buffer.from(program).toString('hex'),
    account(address(1n << 80n), { code: program }),
  )
  const parts: Buffer[] = []
  const output = new TraceOutput({ write: (bytes) => parts.push(Buffer.from(bytes)) })
  const tracer = new StructLogger(options, output)
  run(begin(evm, state, 'osaka', { tracer }), { gasLimit, data: Uint8Array.of(1) })
  tracer.result(output)
  output.end()
  return Buffer.concat(parts).toString()
}

describe('an opcode log', () => {
  it('is the same whether the EVM writes it or reports each instruction', () => {
    const { below } = createRandom(26)
    for (let i = 0; i < 400; i++) {
      const program = randomProgram(below)
      const gasLimit = BigInt(21_040 + below(i % 2 === 0 ? 2_000 : 60_000))
      const options = { ...plain, disableStack: i % 3 === 0, disableStorage: i % 5 === 0 }
      // A log with a limit is written by its tracer.
      const told = logOf(program, gasLimit, { ...options, limit: 2 ** 40 })
      expect([i, logOf(program, gasLimit, options)]).toEqual([i, told])
      expect(() => JSON.parse(told)).not.toThrow()
    }
  })

  it('is the same for numbers of any length, deep stacks, refunds, calls of itself and creations without code', () => {
    const pushes = [0n, 9n, 15n, 16n, 255n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 128n + 5n, 2n ** 256n - 1n]
      .map((value) => `7f${value.toString(16).padStart(64, '0')}`)
      .join('')
    const programs = [
      [`${pushes}00`, 10n ** 6n],
      [`${pushes}00`, 999_999_999n + 21_012n],
      [`${pushes}5a${'80'.repeat(1000)}00`, 10n ** 15n],
      // A slot is set and unset; a call of itself with less and less gas; a creation without code.
      ['60015f555f5f55 5f5f5f f0 50 5f5f5f5f5f30 6040 5a04 f1 00', 200_000n],
      // A loop that fills the buffer several times.
      [`${pushes}610400 5b 6001 90 03 80 61012c 57 00`, 10n ** 6n],
    ] as const
    for (const [hex, gasLimit] of programs) {
      const program = Buffer.from(hex.replaceAll(' ', ''), 'hex')
      const told = logOf(program, gasLimit, { ...plain, limit: 2 ** 40 })
      expect(logOf(program, gasLimit, plain)).toBe(told)
    }
  })
})
