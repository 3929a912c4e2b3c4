import { emptyBytes } from '../../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { EvmStateReader } from '../../chain/state/evmState.ts'
import type { FailedFrame, LastCall, RecordedFailure } from '../../chain/trace/failure.ts'
import { parseDelegation } from '../../chain/transaction/delegation.ts'
import { callOpcodes, opcode } from '../tracing/opcodes.ts'
import type { EnterEvent, ExitEvent, StepEvent } from '../types.ts'
import { FailureJumps } from './failureJumps.ts'
import { HeldMemory } from './heldMemory.ts'
import type { TracerFactory } from './tracer.ts'

/** The most bytes of an output that are kept. */
const maxOutput = 4096
/** How many of the last jumps are kept. */
const recentJumps = 64
/** About how much memory a frame takes without its jumps. */
const frameOverhead = 800

interface OpenFrame {
  readonly event: EnterEvent
  readonly code: Uint8Array
  readonly jumps: FailureJumps
  /** A ring, two numbers a jump: the number of all jumps says where it begins. */
  readonly recent: Int32Array
  jumped: number
  pc: number
  op: number
  missingCode: number | undefined
  lastCall: LastCall | undefined
  /** The frames of the last call, if it failed, from the first to the innermost. */
  inner: readonly FailedFrame[]
  /** How much memory those take. */
  innerBytes: number
}

/** The tracer that records where a failed execution failed; its result is null if it did not fail. */
export const failureTracer: TracerFactory = (_config, { memoryLimit }) => {
  const open: OpenFrame[] = []
  const held = new HeldMemory(memoryLimit)
  const codes: string[] = []
  const codeNumbers = new Map<string, number>()
  let state: EvmStateReader | undefined
  let failed: readonly FailedFrame[] = []

  const codeAt = (address: Uint8Array): Uint8Array => {
    const account = state?.account(address)
    return account === undefined ? emptyBytes : (state?.code(account.codeHash) ?? emptyBytes)
  }
  const codeOf = ({ kind, to, input }: EnterEvent): Uint8Array => {
    if (kind === 'CREATE' || kind === 'CREATE2') return input
    const code = codeAt(to)
    // An account that acts with the code of another one (EIP-7702).
    const delegate = parseDelegation(code)
    return delegate === undefined ? code : codeAt(delegate)
  }
  const numberOf = (code: Uint8Array): number => {
    const text = toHex(code)
    const known = codeNumbers.get(text)
    if (known !== undefined) return known
    held.add(2 * text.length)
    codeNumbers.set(text, codes.length)
    return codes.push(text) - 1
  }

  const dropInner = (frame: OpenFrame): void => {
    held.free(frame.innerBytes)
    frame.inner = []
    frame.innerBytes = 0
  }

  const describe = (
    frame: OpenFrame,
    jumps: readonly number[],
    { error, output }: ExitEvent,
  ): FailedFrame => {
    const { kind, to, input, value } = frame.event
    const { pc, op, lastCall, missingCode } = frame
    return {
      isCreation: kind === 'CREATE' || kind === 'CREATE2',
      isDelegate: kind === 'DELEGATECALL' || kind === 'CALLCODE',
      address: toHex(to),
      code: numberOf(frame.code),
      selector: toHex(input.subarray(0, 4)),
      inputLength: input.length,
      value: toQuantity(value),
      error: error ?? '',
      output: toHex(output.subarray(0, maxOutput)),
      ...{ pc, op, jumps, recent: recentOf(frame) },
      ...(lastCall && { lastCall }),
      ...(missingCode !== undefined && { missingCode }),
    }
  }

  return {
    steps: [
      opcode.jump,
      opcode.jumpi,
      opcode.extcodesize,
      opcode.create,
      opcode.create2,
      opcode.revert,
      ...callOpcodes,
    ],
    start: (event) => {
      state = event.state
    },
    enter: (event) => {
      held.add(frameOverhead)
      if (event.kind === 'SELFDESTRUCT') {
        open.push(emptyFrame(event))
        return
      }
      const frame = { ...emptyFrame(event), code: codeOf(event) }
      open.push(frame)
    },
    step: (step) => {
      const frame = open.at(-1)
      if (frame !== undefined && record(frame, step, codeAt)) dropInner(frame)
    },
    fault: ({ pc, op }) => {
      const frame = open.at(-1)
      if (frame !== undefined) Object.assign(frame, { pc, op })
    },
    exit: (event) => {
      const frame = open.pop()
      if (frame === undefined) return
      const hasFailed = event.error !== undefined
      const above = open.at(-1)
      if (!hasFailed) {
        dropInner(frame)
        held.free(frameOverhead)
        if (above?.lastCall !== undefined) above.lastCall = { ...above.lastCall, hasFailed }
        return
      }
      const jumps = frame.jumps.list()
      const bytes = 8 * jumps.length + Math.min(event.output.length, maxOutput)
      held.add(bytes)
      const frames = [describe(frame, jumps, event), ...frame.inner]
      if (above === undefined) {
        failed = frames
        return
      }
      if (above.lastCall !== undefined) above.lastCall = { ...above.lastCall, hasFailed }
      above.inner = frames
      above.innerBytes = frameOverhead + bytes + frame.innerBytes
    },
    result: (output) => {
      const failure: RecordedFailure = { frames: failed, codes }
      output.json(failed.length === 0 ? null : failure)
    },
  }
}

const emptyFrame = (event: EnterEvent): OpenFrame => ({
  event,
  code: emptyBytes,
  jumps: new FailureJumps(),
  recent: new Int32Array(2 * recentJumps),
  jumped: 0,
  pc: -1,
  op: 0,
  missingCode: undefined,
  lastCall: undefined,
  inner: [],
  innerBytes: 0,
})

const recentOf = ({ recent, jumped }: OpenFrame): readonly number[] => {
  const first = 2 * Math.max(0, jumped - recentJumps)
  return Array.from({ length: 2 * jumped - first }, (_, at) => recent[(first + at) % recent.length] as number)
}

/** Records an instruction. Returns whether it is a call or a creation. */
const record = (frame: OpenFrame, step: StepEvent, codeAt: (address: Uint8Array) => Uint8Array): boolean => {
  const { pc, op } = step
  if (step.error !== undefined || op === opcode.revert) {
    frame.pc = pc
    frame.op = op
    return false
  }
  if (op === opcode.jump || op === opcode.jumpi) {
    const at = 2 * (frame.jumped++ % recentJumps)
    frame.recent[at] = pc
    frame.recent[at + 1] = op === opcode.jump || step.stack(1) !== 0n ? Number(step.stack(0)) : pc + 1
  }
  if (op === opcode.jumpi) return false
  if (op === opcode.jump) {
    const isShortened = frame.jumps.add(pc, Number(step.stack(0)), step.stackSize)
    if (isShortened && frame.lastCall !== undefined)
      frame.lastCall = { ...frame.lastCall, jumps: Math.min(frame.lastCall.jumps, frame.jumps.size) }
    return false
  }
  if (op === opcode.extcodesize) {
    const address = Buffer.from(step.stack(0).toString(16).padStart(64, '0').slice(-40), 'hex')
    if (codeAt(address).length === 0) frame.missingCode = pc
    return false
  }
  frame.lastCall = { pc, hasFailed: false, jumps: frame.jumps.size }
  return true
}
