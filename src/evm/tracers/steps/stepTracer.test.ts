import { expect, test } from 'vitest'
import { opcode } from '../../tracing/opcodes.ts'
import type { StepEvent } from '../../types.ts'
import { TraceOutput } from '../output.ts'
import type { TraceContext } from '../tracer.ts'
import { stepTracer } from './stepTracer.ts'

interface Answer {
  readonly steps: readonly { readonly step: number }[]
  readonly count: number
  readonly total: number
  readonly marks: readonly { readonly kind: string; readonly step: number }[]
  readonly marksCut: readonly string[]
}

const stackWords = 1024
const memoryBytes = 100_000
const machine = new Uint8Array(stackWords * 32 + memoryBytes).fill(0xff)

const stepOf = (op: number, state: Partial<StepEvent> = {}): StepEvent =>
  ({
    pc: 0,
    op,
    gas: 1n,
    cost: 1n,
    depth: 1,
    address: new Uint8Array(20),
    stackSize: 0,
    stack: () => 0n,
    memorySize: 0,
    raw: { bytes: machine, stackAt: 0, memoryAt: stackWords * 32 },
    ...state,
  }) as StepEvent

const trace = (from: number, count: number, steps: Iterable<StepEvent>, fault?: StepEvent) => {
  const chunks: Buffer[] = []
  const output = new TraceOutput({ write: (bytes) => void chunks.push(Buffer.from(bytes)) })
  const tracer = stepTracer({ from, count }, {} as TraceContext, output)
  for (const step of steps) tracer.step?.(step)
  if (fault !== undefined) tracer.fault?.(fault)
  tracer.result(output)
  output.flush()
  const text = Buffer.concat(chunks)
  return { size: text.length, answer: JSON.parse(text.toString()) as Answer }
}

const repeat = (count: number, step: StepEvent): readonly StepEvent[] => Array(count).fill(step)

test('many writes do not hide the failure at the end, and the response says which places were cut', () => {
  const { answer } = trace(0, 1, [...repeat(2100, stepOf(opcode.sstore)), stepOf(opcode.revert)])
  expect(answer.marks.filter(({ kind }) => kind === 'fail')).toEqual([{ kind: 'fail', step: 2100, depth: 1 }])
  expect(answer.marks.filter(({ kind }) => kind === 'store')).toHaveLength(1000)
  expect(answer.marksCut).toEqual(['store'])
})

test('of many failures the last ones are kept', () => {
  const { answer } = trace(0, 1, repeat(1500, stepOf(opcode.revert)))
  const failures = answer.marks.filter(({ kind }) => kind === 'fail').map(({ step }) => step)
  expect(failures).toEqual(Array.from({ length: 1000 }, (_, index) => 500 + index))
  expect(answer.marksCut).toEqual(['fail'])
})

test('the places are in the order of the steps, each failure once, and nothing is cut without need', () => {
  const inner = stepOf(opcode.revert, { depth: 2 })
  const last = stepOf(opcode.sstore)
  const { answer } = trace(0, 1, [stepOf(opcode.sstore), inner, last], last)
  expect(answer.marks.map(({ kind, step }) => [kind, step])).toEqual([
    ['enter', 0],
    ['store', 0],
    ['enter', 1],
    ['fail', 1],
    ['leave', 2],
    ['store', 2],
    ['fail', 2],
  ])
  expect(answer.marksCut).toEqual([])
  expect(trace(0, 1, [inner], inner).answer.marks.map(({ kind }) => kind)).toEqual(['enter', 'fail'])
})

test('a piece of large steps ends early below 10 MB, and the next one goes on where it ended', () => {
  const large = stepOf(opcode.revert, { stackSize: stackWords, memorySize: memoryBytes })
  const steps = repeat(1500, large)
  const { size, answer } = trace(3, 256, steps)
  expect(size).toBeGreaterThan(8_000_000)
  expect(size).toBeLessThan(10_000_000)
  expect(answer.count).toBe(answer.steps.length)
  expect(answer.count).toBeLessThan(256)
  expect(answer.steps.map(({ step }) => step)).toEqual(answer.steps.map((_, index) => 3 + index))
  expect(answer.total).toBe(1500)
  const next = trace(3 + answer.count, 256 - answer.count, steps).answer
  expect(next.steps[0]?.step).toBe(3 + answer.count)
})

test('a piece of small steps has all that were requested, and one past the end none', () => {
  const steps = repeat(300, stepOf(opcode.sstore))
  expect(trace(10, 256, steps).answer.count).toBe(256)
  expect(trace(290, 256, steps).answer.count).toBe(10)
  expect(trace(300, 256, steps).answer).toMatchObject({ steps: [], count: 0, total: 300 })
})
