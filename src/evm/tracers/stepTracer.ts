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

/** The most places that are named; a debugger that jumps needs no more of a transaction of a million steps. */
const maxMarks = 2000

/** A place that people look for: where a frame begins or is left, where storage is written, where something fails. */
type MarkKind = 'enter' | 'leave' | 'store' | 'fail'

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
  readonly #until: number
  readonly #output: TraceOutput
  readonly #marks: [MarkKind, number, number][] = []
  #count = 0
  #depth = 0
  #end: ExitEvent | undefined

  constructor(from: number, count: number, output: TraceOutput) {
    this.#from = from
    this.#until = from + count
    this.#output = output
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
    const last = this.#marks.at(-1)
    const step = this.#count - 1
    if (last?.[0] !== 'fail' || last[1] !== step) this.#mark('fail', step, depth)
  }

  result(output: TraceOutput): void {
    output.ascii('],"total":')
    output.decimal(this.#count)
    output.ascii(`,"failed":${this.#end?.error !== undefined},"marks":`)
    output.json(this.#marks.map(([kind, step, depth]) => ({ kind, step, depth })))
    output.ascii('}')
  }

  #mark(kind: MarkKind, step: number, depth: number): void {
    if (this.#marks.length < maxMarks) this.#marks.push([kind, step, depth])
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
  }
}

export const stepTracer: TracerFactory = (config, _context, output) =>
  new StepTracer(
    readNumber(config, 'from', Number.MAX_SAFE_INTEGER),
    readNumber(config, 'count', maxPieceSteps),
    output,
  )
