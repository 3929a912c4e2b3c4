import { opcodeName } from '../tracing/opcodeNames.ts'
import { opcode } from '../tracing/opcodes.ts'
import type { ExitEvent, StepEvent } from '../types.ts'
import type { TraceOutput } from './output.ts'
import { toConfigObject } from './settings.ts'
import { type ResultTracer, TraceError, type TracerFactory } from './tracer.ts'

/** The most steps of one piece. */
export const maxPieceSteps = 256

/** The most bytes of memory that a step shows. A frame can have megabytes, and a piece has hundreds of steps. */
const maxShownMemory = 16_384

/**
 * The bytes of steps after which a piece ends early, at least one step long: a step with a full stack has 100 KB, and
 * hundreds of them would be an answer that clients and proxies refuse.
 */
const maxPieceBytes = 8_000_000

/**
 * The most places of one kind that are named; a debugger that jumps needs no more of a transaction of a million steps.
 * Each kind has its own limit, so that thousands of writes do not hide the failure after them.
 */
const maxMarks = 1000

/** The places that people look for: where a frame begins or is left, where storage is written, where something fails. */
const markKinds = ['enter', 'leave', 'store', 'fail'] as const
type MarkKind = (typeof markKinds)[number]

interface Mark {
  readonly kind: MarkKind
  readonly step: number
  readonly depth: number
}

const readNumber = (config: unknown, name: string, max: number): number => {
  const value = toConfigObject(config)[name]
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max) return value
  throw new TraceError(`tracerConfig.${name}: expected a whole number up to ${max}`)
}

/**
 * Writes a piece of the steps of a transaction, from one on and as many as asked for, and of the whole transaction only
 * the number of steps and the places to jump to: what it costs to keep does not grow with the transaction.
 */
class StepTracer implements ResultTracer {
  readonly #from: number
  #until: number
  readonly #output: TraceOutput
  /** How much the output had before; it may hold other traces too. */
  readonly #startedAt: number
  readonly #marks: Readonly<Record<MarkKind, Mark[]>> = { enter: [], leave: [], store: [], fail: [] }
  readonly #cut = new Set<MarkKind>()
  #count = 0
  #written = 0
  #depth = 0
  #end: ExitEvent | undefined

  constructor(from: number, count: number, output: TraceOutput) {
    this.#from = from
    this.#until = from + count
    this.#output = output
    this.#startedAt = output.size
    output.ascii('{"steps":[')
  }

  exit(event: ExitEvent): void {
    if (event.depth === 0) this.#end = event
  }

  step(step: StepEvent): void {
    const index = this.#count++
    const { depth, op } = step
    if (depth !== this.#depth) this.#mark(depth > this.#depth ? 'enter' : 'leave', index, depth)
    this.#depth = depth
    if (step.message !== undefined || op === opcode.revert) this.#mark('fail', index, depth)
    else if (op === opcode.sstore) this.#mark('store', index, depth)
    if (index >= this.#from && index < this.#until) this.#write(step, index)
  }

  /** An instruction that fails while it is executed tells so after its step. */
  fault({ depth }: StepEvent): void {
    const step = this.#count - 1
    if (this.#marks.fail.at(-1)?.step !== step) this.#mark('fail', step, depth)
  }

  result(output: TraceOutput): void {
    output.ascii('],"count":')
    output.decimal(this.#written)
    output.ascii(',"total":')
    output.decimal(this.#count)
    output.ascii(`,"failed":${this.#end?.error !== undefined},"marks":`)
    // At one step the order of the kinds is the one in which they happen.
    output.json(markKinds.flatMap((kind) => this.#marks[kind]).sort((a, b) => a.step - b.step))
    output.ascii(',"marksCut":')
    output.json(markKinds.filter((kind) => this.#cut.has(kind)))
    output.ascii('}')
  }

  #mark(kind: MarkKind, step: number, depth: number): void {
    const marks = this.#marks[kind]
    if (marks.length === maxMarks) {
      this.#cut.add(kind)
      // Why a transaction failed is told by its last failures; of the others the first ones are kept.
      if (kind !== 'fail') return
      marks.shift()
    }
    marks.push({ kind, step, depth })
  }

  #write(step: StepEvent, index: number): void {
    const output = this.#output
    const { bytes, stackAt, memoryAt } = step.raw
    output.ascii(index === this.#from ? '{"step":' : ',{"step":')
    output.decimal(index)
    output.ascii(`,"pc":${step.pc},"op":${JSON.stringify(opcodeName(step.op))},"depth":${step.depth},"gas":`)
    output.decimal(step.gas)
    output.ascii(',"gasCost":')
    output.decimal(step.cost)
    output.ascii(',"address":')
    output.data(step.address)
    if (step.message !== undefined) {
      output.ascii(',"error":')
      output.json(step.message)
    }
    output.ascii(',"stack":[')
    for (let at = 0; at < step.stackSize; at++) {
      output.ascii(at === 0 ? '"' : ',"')
      output.word(bytes, stackAt + at * 32)
      output.ascii('"')
    }
    output.ascii(`],"memorySize":${step.memorySize},"memory":"0x`)
    output.hex(bytes, memoryAt, memoryAt + Math.min(step.memorySize, maxShownMemory))
    output.ascii('"}')
    this.#written++
    if (output.size - this.#startedAt >= maxPieceBytes) this.#until = index
  }
}

export const stepTracer: TracerFactory = (config, _context, output) =>
  new StepTracer(
    readNumber(config, 'from', Number.MAX_SAFE_INTEGER),
    readNumber(config, 'count', maxPieceSteps),
    output,
  )
