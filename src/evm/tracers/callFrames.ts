import { revertReason } from '../../chain/abi/revertReason.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import type { CallKind, EnterEvent, ExitEvent } from '../types.ts'
import { HeldMemory } from './heldMemory.ts'
import { TraceError } from './tracer.ts'

export interface FrameLog {
  readonly log: Log
  readonly index: number
  /** The number of calls before the log in its frame. */
  readonly position: number
}

/** One call as geth's call tracers record it. */
export interface CallFrame {
  readonly kind: CallKind
  readonly from: Uint8Array
  gas: bigint
  gasUsed: bigint
  /** The recipient; undefined if a creation failed. */
  to: Uint8Array | undefined
  readonly input: Uint8Array
  output: Uint8Array | undefined
  error: string | undefined
  revertReason: string | undefined
  /** The value; undefined for STATICCALL, which has none. */
  readonly value: bigint | undefined
  readonly calls: CallFrame[]
  logs: FrameLog[]
}

/** The approximate memory of a frame in bytes, without its data. */
const frameOverhead = 600

/** Builds the tree of calls of one transaction. */
export class CallFrameTree<Frame extends CallFrame> {
  readonly #open: Frame[] = []
  readonly #make: (frame: CallFrame) => Frame
  readonly #held: HeldMemory

  constructor(make: (frame: CallFrame) => Frame, memoryLimit: number) {
    this.#make = make
    this.#held = new HeldMemory(memoryLimit)
  }

  get top(): Frame {
    const [top] = this.#open
    if (top === undefined || this.#open.length !== 1)
      throw new TraceError('incorrect number of top-level calls')
    return top
  }

  get last(): Frame | undefined {
    return this.#open.at(-1)
  }

  enter({ kind, from, to, value, gas, input }: EnterEvent): Frame {
    this.#held.add(frameOverhead + input.length)
    const frame = this.#make({
      kind,
      from,
      gas,
      gasUsed: 0n,
      to,
      input,
      output: undefined,
      error: undefined,
      revertReason: undefined,
      value: kind === 'STATICCALL' ? undefined : value,
      calls: [],
      logs: [],
    })
    this.#open.push(frame)
    return frame
  }

  exit(event: ExitEvent): void {
    const frame = this.#open.at(-1)
    if (frame === undefined) return
    finish(frame, event)
    this.#held.add(frame.output?.length ?? 0)
    if (event.depth === 0) return
    frame.gasUsed = event.gasUsed
    this.#open.pop()
    this.#open.at(-1)?.calls.push(frame)
  }

  addLog(log: Log, index: number): void {
    const frame = this.#open.at(-1)
    if (frame === undefined) return
    this.#held.add(frameOverhead + log.data.length)
    frame.logs.push({ log, index, position: frame.calls.length })
  }
}

const finish = (frame: CallFrame, { error, message, output }: ExitEvent): void => {
  if (error === undefined) {
    frame.output = output
    return
  }
  frame.error = message ?? error
  if (frame.kind === 'CREATE' || frame.kind === 'CREATE2') frame.to = undefined
  if (error !== 'execution reverted' || output.length === 0) return
  frame.output = output
  if (output.length >= 4) frame.revertReason = revertReason(output)
}

/** Removes the logs of failed calls and of the calls inside them. */
export const clearFailedLogs = (frame: CallFrame, hasFailed = false): void => {
  const failed = hasFailed || frame.error !== undefined
  if (failed) frame.logs = []
  for (const call of frame.calls) clearFailedLogs(call, failed)
}
