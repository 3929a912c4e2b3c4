import { expect, test } from 'vitest'
import { opcode } from '../tracing/opcodes.ts'
import type { EnterEvent, ExitEvent, StepEvent } from '../types.ts'
import { failureTracer } from './failureTracer.ts'
import { TraceOutput } from './output.ts'
import type { TraceContext } from './tracer.ts'

const address = new Uint8Array(20)
const enter = (depth: number): EnterEvent => ({
  kind: 'CALL',
  depth,
  from: address,
  to: address,
  value: 0n,
  gas: 0n,
  input: new Uint8Array(4),
  isPrecompile: false,
})
const exit = (depth: number, error?: ExitEvent['error']): ExitEvent => ({
  depth,
  gasUsed: 0n,
  output: new Uint8Array(0),
  error,
  message: error,
})
// Only these members of a step are read here.
const call = { pc: 1, op: opcode.call, error: undefined } as StepEvent

const run = (memoryLimit: number, innerError: ExitEvent['error'] | undefined, calls: number): unknown => {
  const chunks: Buffer[] = []
  const output = new TraceOutput({ write: (bytes) => void chunks.push(Buffer.from(bytes)) })
  // The tracer reads nothing else of it.
  const tracer = failureTracer(undefined, { memoryLimit } as TraceContext, output)
  tracer.enter?.(enter(0))
  for (let count = 0; count < calls; count++) {
    tracer.step?.(call)
    tracer.enter?.(enter(1))
    tracer.exit?.(exit(1, innerError))
  }
  tracer.exit?.(exit(0, 'execution reverted'))
  tracer.result(output)
  output.flush()
  return JSON.parse(Buffer.concat(chunks).toString())
}

test('memory of calls that have ended is given back', () => {
  expect(run(10_000, undefined, 1_000)).toMatchObject({ frames: [{ lastCall: { hasFailed: false } }] })
  expect(run(10_000, 'execution reverted', 1_000)).toMatchObject({
    frames: [{ lastCall: { hasFailed: true } }, { error: 'execution reverted' }],
  })
})
