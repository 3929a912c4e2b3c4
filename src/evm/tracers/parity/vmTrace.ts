import { emptyBytes } from '../../../base/encoding/bytes.ts'
import type { EvmStateReader } from '../../../chain/state/evmState.ts'
import { parseDelegation } from '../../../chain/transaction/delegation.ts'
import { opcodeName } from '../../tracing/opcodeNames.ts'
import { opcode } from '../../tracing/opcodes.ts'
import type { EnterEvent, ExitEvent, HaltReason, StepEvent } from '../../types.ts'
import type { TraceOutput } from '../output.ts'
import { TraceError } from '../tracer.ts'
import { type MemoryRange, memoryRange, pushedWords, storedSlot } from './vmOperations.ts'
import { isCreation } from './writeTraces.ts'

/** An instruction whose outcome is not known yet: the next one of its frame shows it. */
interface OpenOperation {
  readonly code: number
  /** The gas that is left after it, if it runs no other frame. */
  readonly gasLeft: bigint
  readonly range: MemoryRange | undefined
  readonly stored: readonly [key: bigint, value: bigint] | undefined
  cost: bigint
  hasFailed: boolean
  hasSub: boolean
}

/** A frame whose instructions are being written. */
interface VmFrame {
  /** The position of its instructions in the whole: those of the instructions around it, each with a dash. */
  readonly prefix: string
  operations: number
  open: OpenOperation | undefined
  /** The code that it runs, until its beginning is written: with its first instruction, or at its end if it has none. */
  code: Uint8Array | undefined
}

/** Why a frame ends that has not begun. Nothing ran in it, so that there are no instructions to tell. */
const neverBegun: ReadonlySet<HaltReason> = new Set<HaltReason>([
  'max call depth exceeded',
  'insufficient balance for transfer',
  'contract address collision',
  'nonce uint64 overflow',
])

const heads = Array.from({ length: 256 }, (_, code) => `,"op":${JSON.stringify(opcodeName(code))}`)

/**
 * Writes Parity's `vmTrace` while the code runs, so that nothing but the open instructions is held. An instruction is
 * complete when the next one of its frame comes; the frame that it called stands inside it.
 */
export class VmTraceWriter {
  readonly #output: TraceOutput
  /** The open frames; undefined for those that have no instructions: precompiles and destructions. */
  readonly #frames: (VmFrame | undefined)[] = []
  #state: EvmStateReader | undefined

  constructor(output: TraceOutput) {
    this.#output = output
  }

  start(state: EvmStateReader): void {
    this.#state = state
  }

  enter(event: EnterEvent): void {
    const parent = this.#frames.at(-1)
    const isSilent = event.kind === 'SELFDESTRUCT' || (event.isPrecompile && event.depth > 0)
    if (isSilent || (event.depth > 0 && parent === undefined)) {
      this.#frames.push(undefined)
      return
    }
    const { open } = parent ?? {}
    // The gas of a creation is not part of what the instruction costs before it runs.
    if (open !== undefined && isCreation(event)) open.cost += event.gas
    const prefix = parent === undefined ? '' : `${parent.prefix}${parent.operations - 1}-`
    const code = isCreation(event) ? event.input : this.#codeAt(event.to)
    this.#frames.push({ prefix, operations: 0, open: undefined, code })
  }

  step(step: StepEvent): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return
    this.#begin(frame)
    this.#complete(frame, step)
    const output = this.#output
    output.ascii(frame.operations === 0 ? '{"pc":' : ',{"pc":')
    output.decimal(step.pc)
    output.ascii(heads[step.op] as string)
    output.ascii(`,"idx":"${frame.prefix}${frame.operations}"`)
    frame.operations++
    frame.open = {
      code: step.op,
      gasLeft: step.gas - step.cost,
      range: memoryRange(step),
      stored: storedSlot(step),
      cost: step.cost,
      hasFailed: step.error !== undefined,
      hasSub: false,
    }
  }

  fault(): void {
    const open = this.#frames.at(-1)?.open
    if (open !== undefined) open.hasFailed = true
  }

  exit(event: ExitEvent): void {
    const frame = this.#frames.at(-1)
    // What has not begun is not part of the instruction that wanted it; the outermost frame is always told.
    const hasBegun = event.depth === 0 || event.error === undefined || !neverBegun.has(event.error)
    if (frame !== undefined && hasBegun) this.#begin(frame)
    this.#frames.pop()
    if (frame === undefined || !hasBegun) return
    if (frame.open !== undefined && event.error !== undefined && event.error !== 'execution reverted')
      frame.open.hasFailed ||= !endsFrame(frame.open.code)
    this.#complete(frame, undefined)
    this.#output.ascii(']}')
  }

  /** Writes the beginning of a frame, inside the instruction that called it. */
  #begin(frame: VmFrame): void {
    const { code } = frame
    if (code === undefined) return
    frame.code = undefined
    const open = this.#frames.at(-2)?.open
    if (open !== undefined) {
      open.hasSub = true
      this.#output.ascii(',"sub":')
    }
    this.#output.ascii('{"code":')
    this.#output.data(code)
    this.#output.ascii(',"ops":[')
  }

  #codeAt(address: Uint8Array): Uint8Array {
    const state = this.#state
    if (state === undefined) throw new TraceError('no transaction has begun')
    const read = (at: Uint8Array): Uint8Array => {
      const hash = state.account(at)?.codeHash
      return hash === undefined ? emptyBytes : state.code(hash)
    }
    const code = read(address)
    const delegate = parseDelegation(code)
    return delegate === undefined ? code : read(delegate)
  }

  /** Completes the open instruction of a frame; `next` is the one after it, undefined at the end of the frame. */
  #complete(frame: VmFrame, next: StepEvent | undefined): void {
    const { open } = frame
    if (open === undefined) return
    frame.open = undefined
    const output = this.#output
    if (!open.hasSub) output.ascii(',"sub":null')
    output.ascii(',"cost":')
    output.decimal(open.cost)
    output.ascii(',"ex":')
    if (open.hasFailed) output.ascii('null')
    else this.#writeOutcome(open, next)
    output.ascii('}')
  }

  #writeOutcome(open: OpenOperation, next: StepEvent | undefined): void {
    const output = this.#output
    output.ascii('{"mem":')
    if (next === undefined || open.range === undefined) output.ascii('null')
    else this.#writeMemory(open.range, next)
    output.ascii(',"push":[')
    if (next !== undefined) {
      const count = Math.min(pushedWords(open.code), next.stackSize)
      for (let at = count - 1; at >= 0; at--) {
        output.quantity(next.stack(at))
        if (at > 0) output.ascii(',')
      }
    }
    output.ascii('],"store":')
    if (open.stored === undefined) output.ascii('null')
    else {
      output.quantityMember('{"key":', open.stored[0])
      output.quantityMember(',"val":', open.stored[1])
      output.ascii('}')
    }
    output.ascii(',"used":')
    output.decimal(next?.gas ?? open.gasLeft)
    output.ascii('}')
  }

  #writeMemory({ offset, length }: MemoryRange, next: StepEvent): void {
    const output = this.#output
    output.ascii('{"data":"0x')
    output.hex(next.memory(offset, length))
    output.ascii(`","off":${offset}}`)
  }
}

/** Whether an instruction ends its frame by itself, so that it does not cause what fails after it. */
const endsFrame = (code: number): boolean =>
  code === opcode.stop || code === opcode.return || code === opcode.revert || code === opcode.selfdestruct
