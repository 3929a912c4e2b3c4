import { opcodeName } from '../tracing/opcodeNames.ts'
import type { StepEvent } from '../types.ts'
import type { ResultTracer, TracerFactory } from './tracer.ts'

/**
 * The tracers of geth that count instructions by name: alone, in pairs and in threes. A sequence ends where the depth
 * changes.
 */

/** `keyOf` names what ends with a step; undefined if nothing does. */
const countKeys = (keyOf: (step: StepEvent) => string | undefined): ResultTracer => {
  const counts = new Map<string, number>()
  return {
    step: (step) => {
      const key = keyOf(step)
      if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
    },
    result: (output) => output.json(Object.fromEntries(counts)),
  }
}

/** The tracer that counts how often each instruction is executed. */
export const unigramTracer: TracerFactory = () => countKeys(({ op }) => opcodeName(op))

/** The tracer that counts pairs of instructions. */
export const bigramTracer: TracerFactory = () => {
  let last = ''
  let lastDepth = 0
  return countKeys(({ op, depth }) => {
    const name = opcodeName(op)
    const key = depth === lastDepth ? `${last}-${name}` : undefined
    last = name
    lastDepth = depth
    return key
  })
}

/** The tracer that counts three instructions in a row. As in geth the first of a sequence has no name. */
export const trigramTracer: TracerFactory = () => {
  let [first, second] = ['', '']
  let lastDepth = 0
  return countKeys(({ op, depth }) => {
    if (depth !== lastDepth) {
      first = ''
      second = ''
      lastDepth = depth
      return undefined
    }
    const name = opcodeName(op)
    const key = `${first}-${second}-${name}`
    first = second
    second = name
    return key
  })
}
