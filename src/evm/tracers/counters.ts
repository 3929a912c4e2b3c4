import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromBigInt } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { callOpcodes, opcode } from '../tracing/opcodes.ts'
import { copyPadded } from './copyPadded.ts'
import { HeldMemory } from './heldMemory.ts'
import type { TraceOutput } from './output.ts'
import { createPrecompileCheck } from './precompileAddresses.ts'
import type { ResultTracer, TracerFactory } from './tracer.ts'

const sorted = <Value>(entries: ReadonlyMap<string, Value>): Record<string, Value> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))

const selectorLength = 4

/** Counts selectors with the sizes of the arguments behind them. */
const createSelectorCounts = () => {
  const counts = new Map<string, number>()
  return {
    add: (selector: Uint8Array, length: number): void => {
      const key = `${toHex(selector)}-${length - selectorLength}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    result: (output: TraceOutput): void => output.json(sorted(counts)),
  }
}

/** The tracer that counts the called function selectors with the sizes of their arguments. */
export const fourByteTracer: TracerFactory = (_config, { fork }) => {
  const { add, result } = createSelectorCounts()
  const isPrecompile = createPrecompileCheck(fork)
  return {
    enter: ({ kind, to, input }) => {
      if (input.length < selectorLength || kind === 'CREATE' || kind === 'CREATE2' || kind === 'SELFDESTRUCT')
        return
      if (!isPrecompile(to)) add(input.subarray(0, selectorLength), input.length)
    },
    result,
  }
}

/**
 * What geth had before. It takes the first bytes of a transaction for a selector whatever they are, and counts calls that
 * cannot be paid for.
 */
export const fourByteTracerLegacy: TracerFactory = (_config, { fork }) => {
  const { add, result } = createSelectorCounts()
  const isPrecompile = createPrecompileCheck(fork)
  return {
    enter: ({ depth, input }) => {
      if (depth === 0 && input.length >= selectorLength) add(input.subarray(0, selectorLength), input.length)
    },
    steps: [...callOpcodes],
    step: (step) => {
      const { op } = step
      const place = op === opcode.call || op === opcode.callcode ? 3 : 2
      if (!callOpcodes.has(op) || step.stackSize < place + 2) return
      const length = step.stack(place + 1)
      if (length < selectorLength || isPrecompile(fromBigInt(step.stack(1), 32).subarray(12))) return
      const selector = copyPadded(step, step.stack(place), BigInt(selectorLength))
      if (selector !== undefined) add(selector, Number(length))
    },
    result,
  }
}

/** The tracer that does nothing, to measure the cost of tracing itself. */
export const noopTracer: TracerFactory = (): ResultTracer => ({
  result: (output) => output.ascii('{}'),
})

/** The tracer that counts the executed instructions. */
export const opcountTracer: TracerFactory = () => {
  let count = 0
  return {
    step: () => {
      count++
    },
    result: (output) => output.decimal(count),
  }
}

/** The tracer that returns the preimages of KECCAK256, by their hash. */
export const keccak256PreimageTracer: TracerFactory = (_config, { memoryLimit }) => {
  const preimages = new Map<string, Uint8Array>()
  const held = new HeldMemory(memoryLimit)
  return {
    steps: [opcode.keccak],
    step: (step) => {
      if (step.op !== opcode.keccak || step.stackSize < 2) return
      const preimage = copyPadded(step, step.stack(0), step.stack(1))
      if (preimage === undefined) return
      held.add(preimage.length + 200)
      preimages.set(toHex(keccak256(preimage)), preimage)
    },
    result: (output) => {
      let lead = '{"'
      for (const [hash, preimage] of [...preimages].sort(([a], [b]) => (a < b ? -1 : 1))) {
        output.ascii(lead)
        output.ascii(hash)
        output.dataMember('":', preimage)
        lead = ',"'
      }
      output.ascii(lead === '{"' ? '{}' : '}')
    },
  }
}
