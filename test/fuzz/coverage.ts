import { opcodeName } from '../../src/evm/tracing/opcodeNames.ts'
import type { Tracer } from '../../src/evm/types.ts'

/** How often each thing ran: a fuzzer that never reaches an instruction says nothing of it. */
export type Coverage = Record<string, number>

const count = (coverage: Coverage, name: string): void => {
  coverage[name] = (coverage[name] ?? 0) + 1
}

/** A tracer that counts instructions, calls by kind, and precompiles. */
export const createCounter = (coverage: Coverage): Tracer => ({
  step: ({ op, error }) => {
    // INVALID does what it is there for by failing.
    if (error === undefined || op === 0xfe) count(coverage, `opcode ${opcodeName(op)}`)
  },
  enter: ({ kind, to, isPrecompile }) => {
    count(coverage, `call ${kind}`)
    if (isPrecompile)
      count(coverage, `precompile 0x${BigInt(`0x${Buffer.from(to).toString('hex')}`).toString(16)}`)
  },
  exit: ({ error }) => {
    if (error !== undefined) count(coverage, `halt ${error}`)
  },
})

export const addCoverage = (total: Coverage, part: Coverage): void => {
  for (const [name, times] of Object.entries(part)) total[name] = (total[name] ?? 0) + times
}

export const countTransaction = (coverage: Coverage, fork: string, type: number, isValid: boolean): void => {
  count(coverage, `fork ${fork}`)
  count(coverage, isValid ? `transaction type ${type}` : 'transaction refused')
}
