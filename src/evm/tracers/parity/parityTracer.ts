import { emptyBytes } from '../../../base/encoding/bytes.ts'
import type { EvmStateReader, StateChanges } from '../../../chain/state/evmState.ts'
import type { EnterEvent, ExitEvent, StartEvent, StepEvent } from '../../types.ts'
import type { TraceOutput } from '../output.ts'
import { type ResultTracer, type TraceContext, TraceError, type TracerFactory } from '../tracer.ts'
import { readFlag, toConfigObject } from '../tracerConfig.ts'
import { createFrameFilter, type FrameFilter, readFilter } from './parityFilter.ts'
import { type ParityFrame, ParityFrames } from './parityFrames.ts'
import { writeStateDiff } from './stateDiff.ts'
import { VmTraceWriter } from './vmTrace.ts'
import { noLocation, toTraceLocation, writeTrace } from './writeTraces.ts'

/** The kinds of `trace_replay*` and `trace_call*`. */
export const parityKinds = ['trace', 'stateDiff', 'vmTrace'] as const
export type ParityKind = (typeof parityKinds)[number]

/**
 * The tracer in Parity's format. With `kinds` the result is an object with those kinds, and with `withHash` the hash of
 * its transaction; without, it is the list of traces with their locations in the chain, as far as they match `filter`, or
 * the one at `position`.
 */
export const parityTracer: TracerFactory = (config, context, output) => {
  const { kinds, filter, position } = toConfigObject(config)
  if (kinds !== undefined)
    return new FullTracer(readKinds(kinds), readFlag(config, 'withHash'), context, output)
  const wanted = filter === undefined ? undefined : createFrameFilter(readFilter(filter))
  return createListTracer(new ParityFrames(context.memoryLimit), wanted, readPosition(position), context)
}

const isKind = (value: unknown): value is ParityKind => parityKinds.some((kind) => kind === value)

const readKinds = (given: unknown): ReadonlySet<ParityKind> => {
  if (!Array.isArray(given) || !given.every(isKind))
    throw new TraceError(`tracerConfig.kinds: expected a list of ${parityKinds.join(', ')}`)
  return new Set(given)
}

const readPosition = (given: unknown): number | undefined => {
  if (given === undefined) return undefined
  if (typeof given === 'number' && Number.isSafeInteger(given) && given >= 0) return given
  throw new TraceError('tracerConfig.position: expected a whole number')
}

const createListTracer = (
  frames: ParityFrames,
  filter: FrameFilter | undefined,
  position: number | undefined,
  context: TraceContext,
): ResultTracer => {
  const selected = (): readonly ParityFrame[] => {
    const matching = filter === undefined ? frames.list : frames.list.filter((frame) => filter.matches(frame))
    return position === undefined ? matching : matching.slice(position, position + 1)
  }
  const writeValues = (output: TraceOutput, isFirst: boolean): boolean => {
    const location = toTraceLocation(context)
    const list = selected()
    for (const [index, frame] of list.entries()) {
      if (!isFirst || index > 0) output.ascii(',')
      writeTrace(frame, location, output)
    }
    return list.length > 0
  }
  return {
    enter: (event) => frames.enter(event),
    exit: (event) => frames.exit(event),
    writeValues,
    result: (output) => {
      output.ascii('[')
      writeValues(output, true)
      output.ascii(']')
    },
  }
}

/** Collects the frames, writes the instructions as they come, and the changes of the state at the end. */
class FullTracer implements ResultTracer {
  readonly step?: (event: StepEvent) => void
  readonly fault?: () => void
  readonly changes?: (before: EvmStateReader, changes: StateChanges) => void
  readonly #kinds: ReadonlySet<ParityKind>
  readonly #hash: Uint8Array | undefined
  readonly #frames: ParityFrames
  readonly #vm: VmTraceWriter | undefined
  #diff: { readonly before: EvmStateReader; readonly changes: StateChanges } | undefined
  #output: Uint8Array = emptyBytes

  constructor(kinds: ReadonlySet<ParityKind>, withHash: boolean, context: TraceContext, output: TraceOutput) {
    this.#kinds = kinds
    this.#hash = withHash ? context.transactionHash : undefined
    this.#frames = new ParityFrames(context.memoryLimit)
    if (kinds.has('vmTrace')) {
      const vm = new VmTraceWriter(output)
      this.#vm = vm
      this.step = (event) => vm.step(event)
      this.fault = () => vm.fault()
      output.ascii('{"vmTrace":')
    }
    if (kinds.has('stateDiff'))
      this.changes = (before, changes) => {
        this.#diff = { before, changes }
      }
  }

  start({ state }: StartEvent): void {
    this.#vm?.start(state)
  }

  enter(event: EnterEvent): void {
    if (this.#kinds.has('trace')) this.#frames.enter(event)
    this.#vm?.enter(event)
  }

  exit(event: ExitEvent): void {
    if (this.#kinds.has('trace')) this.#frames.exit(event)
    this.#vm?.exit(event)
    const hasOutput = event.error === undefined || event.error === 'execution reverted'
    if (event.depth === 0 && hasOutput) this.#output = event.output
  }

  result(output: TraceOutput): void {
    output.dataMember(this.#vm === undefined ? '{"vmTrace":null,"output":' : ',"output":', this.#output)
    output.ascii(',"stateDiff":')
    if (this.#diff === undefined) output.ascii('null')
    else writeStateDiff(this.#diff.before, this.#diff.changes, output)
    output.ascii(',"trace":[')
    for (const [index, frame] of this.#frames.list.entries()) {
      if (index > 0) output.ascii(',')
      writeTrace(frame, noLocation, output)
    }
    output.ascii(']')
    if (this.#hash !== undefined) {
      output.dataMember(',"transactionHash":', this.#hash)
    }
    output.ascii('}')
  }
}
