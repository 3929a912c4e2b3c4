import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slow } from '../../../../test/support/slow.ts'
import { TraceOutput } from '../../../evm/tracers/output.ts'
import { recordedStepTracer, stepTracer } from '../../../evm/tracers/steps/stepTracer.ts'
import type { TraceContext, TracerFactory } from '../../../evm/tracers/tracer.ts'
import type { EnterEvent, StepEvent } from '../../../evm/types.ts'
import type { StepRecordFile } from './recordFormat.ts'
import { writeRecordedPiece } from './recordReader.ts'
import { StepRecordWriter } from './recordWriter.ts'
import { StepRecords } from './stepRecords.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steps-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What an instruction does to its frame, which is all that a record must follow. */
interface Change {
  readonly op: number
  readonly pops: number
  readonly words: readonly number[]
  readonly memory: { readonly at: number; readonly bytes: Uint8Array } | undefined
  readonly depth: number
  readonly message: string | undefined
}

const change: fc.Arbitrary<Change> = fc.record({
  op: fc.constantFrom(0x01, 0x52, 0x55, 0x60, 0x9f, 0xe6, 0xf1, 0xfd),
  pops: fc.integer({ min: 0, max: 17 }),
  words: fc.array(fc.nat(255), { maxLength: 18 }),
  memory: fc.option(
    fc.record({ at: fc.nat(20_000), bytes: fc.uint8Array({ minLength: 1, maxLength: 100 }) }),
    { nil: undefined },
  ),
  depth: fc.constantFrom(1, 1, 1, 1, 2),
  message: fc.constantFrom(undefined, undefined, undefined, 'out of gas'),
})

const stackBytes = 1024 * 32
const memoryBytes = 32_768

/** Runs a tracer over frames that change so. */
const run = (factory: TracerFactory, range: object, changes: readonly Change[]): string => {
  const chunks: Buffer[] = []
  const output = new TraceOutput({ write: (bytes) => void chunks.push(Buffer.from(bytes)) })
  const tracer = factory(range, {} as TraceContext, output)
  const frames = [1, 2].map(() => ({ bytes: new Uint8Array(stackBytes + memoryBytes), stack: 0, memory: 0 }))
  tracer.enter?.({ kind: 'CALL', depth: 0, to: new Uint8Array(20).fill(7) } as unknown as EnterEvent)
  tracer.enter?.({ kind: 'CREATE', depth: 1, to: new Uint8Array(20) } as unknown as EnterEvent)
  changes.forEach(({ op, pops, words, memory, depth, message }, index) => {
    const frame = frames[depth - 1] as (typeof frames)[number]
    // As in the EVM: what shows at a step is what the one before it in its frame did.
    tracer.step?.({
      pc: index,
      op,
      gas: BigInt(1_000_000_000_000 - index),
      cost: 3n,
      depth,
      address: new Uint8Array(20).fill(depth),
      message,
      stackSize: frame.stack,
      stack: () => 1n,
      memorySize: frame.memory,
      raw: { bytes: frame.bytes, stackAt: 0, memoryAt: stackBytes },
    } as unknown as StepEvent)
    frame.stack = Math.max(0, frame.stack - pops)
    for (const word of words.slice(0, 1024 - frame.stack))
      frame.bytes.fill(word, 32 * frame.stack, 32 * ++frame.stack - (word % 32))
    // Numbers and pushes write no memory.
    if (memory === undefined || op < 0x50 || (op >= 0x5f && op <= 0x9f)) return
    frame.bytes.set(memory.bytes, stackBytes + memory.at)
    frame.memory = Math.max(frame.memory, 32 * Math.ceil((memory.at + memory.bytes.length) / 32))
  })
  tracer.result(output)
  output.flush()
  return Buffer.concat(chunks).toString()
}

const read = (file: StepRecordFile, from: number, count: number): string | undefined => {
  const chunks: Buffer[] = []
  const output = new TraceOutput({ write: (bytes) => void chunks.push(Buffer.from(bytes)) })
  if (writeRecordedPiece(file, { from, count }, output) !== 'written') return undefined
  output.flush()
  return Buffer.concat(chunks).toString()
}

test('any piece of a record is the same as that of a replay', slow, () => {
  let runs = 0
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 600, size: 'max' }),
      fc.nat(620),
      fc.integer({ min: 1, max: 256 }),
      (changes, from, count) => {
        const file = { path: join(folder, `any-${runs++}`), key: Uint8Array.of(1, 2) }
        const whole = run(recordedStepTracer(new StepRecordWriter(file)), { from, count }, changes)
        expect(whole).toBe(run(stepTracer, { from, count }, changes))
        expect(read(file, from, count)).toBe(whole)
      },
    ),
    { numRuns: 30 },
  )
})

const push: Change = { op: 0x60, pops: 1, words: [1], memory: undefined, depth: 1, message: undefined }

test('a record that would be too large ends early, and says so for what it does not have', () => {
  const file = { path: join(folder, 'large'), key: Uint8Array.of(1) }
  const changes = Array<Change>(2000).fill(push)
  run(recordedStepTracer(new StepRecordWriter(file, 10_000)), { from: 0, count: 1 }, changes)
  expect(JSON.parse(read(file, 300, 5) ?? '')).toMatchObject({ count: 5, total: 2000 })
  expect(read(file, 1900, 5)).toBeUndefined()
})

test('a file that is not complete, or of another transaction, is not a record', () => {
  const file = { path: join(folder, 'other'), key: Uint8Array.of(1) }
  expect(read(file, 0, 1)).toBeUndefined()
  run(recordedStepTracer(new StepRecordWriter(file)), { from: 0, count: 1 }, [push])
  expect(read(file, 0, 1)).toBeDefined()
  expect(read({ ...file, key: Uint8Array.of(2) }, 0, 1)).toBeUndefined()
  writeFileSync(file.path, 'x')
  expect(read(file, 0, 1)).toBeUndefined()
})

test('a record that was given up leaves no file', () => {
  const file = { path: join(folder, 'off'), key: Uint8Array.of(1) }
  const writer = new StepRecordWriter(file)
  writer.discard()
  run(recordedStepTracer(writer), { from: 0, count: 1 }, [push])
  expect(readdirSync(folder).filter((name) => name.startsWith('off'))).toEqual([])
})

test('there are never more files than places for them', () => {
  const records = new StepRecords(folder)
  const hash = (byte: number) => new Uint8Array(32).fill(byte)
  const first = records.fileFor(hash(1), 0)
  writeFileSync(first.path, '')
  expect(records.fileFor(hash(1), 0)).toEqual(first)
  expect(existsSync(first.path)).toBe(true)
  const paths = new Set([2, 3, 4, 5, 6].map((byte) => records.fileFor(hash(byte), 0).path))
  expect(paths.size).toBe(4)
  expect(existsSync(first.path)).toBe(false)
})
