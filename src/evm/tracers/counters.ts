import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { opcode } from '../tracing/opcodes.ts'
import { copyPadded } from './copyPadded.ts'
import { HeldMemory } from './heldMemory.ts'
import { createPrecompileCheck } from './precompileAddresses.ts'
import type { ResultTracer, TracerFactory } from './tracer.ts'

const sorted = <Value>(entries: ReadonlyMap<string, Value>): Record<string, Value> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))

/** The tracer that counts the called function selectors with the sizes of their arguments. */
export const fourByteTracer: TracerFactory = (_config, { fork }) => {
  const counts = new Map<string, number>()
  const isPrecompile = createPrecompileCheck(fork)
  return {
    enter: ({ kind, to, input }) => {
      if (input.length < 4 || kind === 'CREATE' || kind === 'CREATE2' || kind === 'SELFDESTRUCT') return
      if (isPrecompile(to)) return
      const key = `${toHex(input.subarray(0, 4))}-${input.length - 4}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    result: (output) => output.json(sorted(counts)),
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
