import { toHex, toQuantity } from '../../../base/encoding/hex.ts'
import { opcode } from '../../tracing/opcodes.ts'
import type { EnterEvent, ExitEvent, StepEvent } from '../../types.ts'
import type { TraceOutput } from '../output.ts'
import type { ResultTracer, TracerFactory } from '../tracer.ts'
import {
  type Mark,
  type MarkKind,
  markKinds,
  type PieceRange,
  readRange,
  type ShownStep,
  StepPiece,
  type StepSummary,
} from './stepPiece.ts'

/**
 * The most places of one kind that are named; a debugger that jumps needs no more of a transaction of a million steps.
 * Each kind has its own limit, so that thousands of writes do not hide the failure after them.
 */
const maxMarks = 1000

/** Takes every step of a transaction, to give pieces of it later without another replay. */
export interface StepRecorder {
  /** Called with each step, valid during the call only, and the account whose code runs; undefined while one is created. */
  step(step: ShownStep, code: Uint8Array | undefined): void
  /** Called once the transaction ended. */
  finish(summary: StepSummary): void
}

/**
 * Writes a piece of the steps of a transaction, from one on and as many as requested, and of the whole transaction only
 * the number of steps and the places to jump to: what it costs to keep does not grow with the transaction.
 */
class StepTracer implements ResultTracer {
  readonly #piece: StepPiece
  readonly #recorder: StepRecorder | undefined
  readonly #marks: Readonly<Record<MarkKind, Mark[]>> = { enter: [], leave: [], store: [], fail: [] }
  readonly #cut = new Set<MarkKind>()
  /** The account whose code runs, of each open frame. */
  readonly #codes: (Uint8Array | undefined)[] = []
  #count = 0
  #depth = 0
  #end: ExitEvent | undefined

  constructor(range: PieceRange, output: TraceOutput, recorder: StepRecorder | undefined) {
    this.#piece = new StepPiece(range, output)
    this.#recorder = recorder
  }

  enter({ kind, depth, to }: EnterEvent): void {
    this.#codes[depth] = kind === 'CREATE' || kind === 'CREATE2' ? undefined : Uint8Array.from(to)
  }

  exit(event: ExitEvent): void {
    if (event.depth === 0) this.#end = event
  }

  step(step: StepEvent): void {
    const index = this.#count++
    const { depth, op } = step
    if (depth !== this.#depth)
      this.#mark({ kind: depth > this.#depth ? 'enter' : 'leave', step: index, depth })
    this.#depth = depth
    if (step.message !== undefined || op === opcode.revert) this.#mark({ kind: 'fail', step: index, depth })
    else if (op === opcode.sstore) this.#markStore(step, index)
    const code = this.#codes[depth - 1]
    this.#recorder?.step(step, code)
    if (this.#piece.has(index)) this.#piece.write(step, code, index)
  }

  /** An instruction that fails while it is executed tells so after its step. */
  fault({ depth }: StepEvent): void {
    const step = this.#count - 1
    if (this.#marks.fail.at(-1)?.step !== step) this.#mark({ kind: 'fail', step, depth })
  }

  result(): void {
    const summary = {
      total: this.#count,
      failed: this.#end?.error !== undefined,
      // At one step the order of the kinds is the one in which they happen.
      marks: markKinds.flatMap((kind) => this.#marks[kind]).sort((a, b) => a.step - b.step),
      marksCut: markKinds.filter((kind) => this.#cut.has(kind)),
    }
    this.#recorder?.finish(summary)
    this.#piece.end(summary)
  }

  #markStore(event: StepEvent, step: number): void {
    const { depth } = event
    if (this.#marks.store.length === maxMarks) {
      this.#cut.add('store')
      return
    }
    this.#mark({
      kind: 'store',
      step,
      depth,
      address: toHex(event.address),
      slot: toQuantity(event.stack(0)),
      value: toQuantity(event.stack(1)),
    })
  }

  #mark(mark: Mark): void {
    const marks = this.#marks[mark.kind]
    if (marks.length === maxMarks) {
      this.#cut.add(mark.kind)
      // Why a transaction failed is reported by its last failures; of the others the first ones are kept.
      if (mark.kind !== 'fail') return
      marks.shift()
    }
    marks.push(mark)
  }
}

export const stepTracer: TracerFactory = (config, _context, output) =>
  new StepTracer(readRange(config), output, undefined)

/** The same, with somebody who takes all steps. */
export const recordedStepTracer =
  (recorder: StepRecorder): TracerFactory =>
  (config, _context, output) =>
    new StepTracer(readRange(config), output, recorder)
