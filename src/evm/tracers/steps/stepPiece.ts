import { opcodeName } from '../../tracing/opcodeNames.ts'
import type { StepEvent } from '../../types.ts'
import type { TraceOutput } from '../output.ts'
import { TraceError } from '../tracer.ts'
import { toConfigObject } from '../tracerConfig.ts'

/** The most steps of one piece. */
const maxPieceSteps = 256

/** The most bytes of memory that a step shows. A frame can have megabytes, and a piece has hundreds of steps. */
export const maxShownMemory = 16_384

/**
 * The bytes of steps after which a piece ends early, at least one step long: a step with a full stack has 100 KB, and
 * hundreds of them would be a response that clients and proxies reject.
 */
const maxPieceBytes = 8_000_000

/** The places that people look for: where a frame begins or is left, where storage is written, where something fails. */
export const markKinds = ['enter', 'leave', 'store', 'fail'] as const
export type MarkKind = (typeof markKinds)[number]

export interface Mark {
  readonly kind: MarkKind
  readonly step: number
  readonly depth: number
  /** What is written where, for a write of storage. */
  readonly address?: string
  readonly slot?: string
  readonly value?: string
}

/** What each piece says of the whole transaction. */
export interface StepSummary {
  readonly total: number
  readonly failed: boolean
  readonly marks: readonly Mark[]
  readonly marksCut: readonly MarkKind[]
}

/** A step as far as a piece shows it. */
export type ShownStep = Pick<
  StepEvent,
  'pc' | 'op' | 'gas' | 'cost' | 'depth' | 'address' | 'message' | 'stackSize' | 'memorySize' | 'raw'
>

/** Which steps are requested. */
export interface PieceRange {
  readonly from: number
  readonly count: number
}

const readNumber = (config: unknown, name: string, max: number): number => {
  const value = toConfigObject(config)[name]
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max) return value
  throw new TraceError(`tracerConfig.${name}: expected a whole number up to ${max}`)
}

export const readRange = (config: unknown): PieceRange => ({
  from: readNumber(config, 'from', Number.MAX_SAFE_INTEGER),
  count: readNumber(config, 'count', maxPieceSteps),
})

/** Writes a piece of the steps of a transaction as JSON, one step after the other. */
export class StepPiece {
  readonly #from: number
  #until: number
  readonly #output: TraceOutput
  /** How much the output had before; it may hold other traces too. */
  readonly #startedAt: number
  #written = 0

  constructor({ from, count }: PieceRange, output: TraceOutput) {
    this.#from = from
    this.#until = from + count
    this.#output = output
    this.#startedAt = output.size
    output.ascii('{"steps":[')
  }

  has(index: number): boolean {
    return index >= this.#from && index < this.#until
  }

  /** Writes a step; `code` is the account whose code runs, undefined while a contract is created. */
  write(step: ShownStep, code: Uint8Array | undefined, index: number): void {
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
    output.ascii(',"code":')
    if (code === undefined) output.ascii('null')
    else output.data(code)
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

  end({ total, failed, marks, marksCut }: StepSummary): void {
    const output = this.#output
    output.ascii('],"count":')
    output.decimal(this.#written)
    output.ascii(',"total":')
    output.decimal(total)
    output.ascii(`,"failed":${failed},"marks":`)
    output.json(marks)
    output.ascii(',"marksCut":')
    output.json(marksCut)
    output.ascii('}')
  }
}
