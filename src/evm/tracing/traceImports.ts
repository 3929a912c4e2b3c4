import { encodeUtf8 } from '../../base/encoding/utf8.ts'
import type { HostState } from '../host/createHost.ts'
import { decodeLog } from '../host/decodeLogs.ts'
import { callKind, haltReason } from '../host/haltReasons.ts'
import type { EvmInstance, HostImports } from '../host/instance.ts'
import { readWord, readWordAsBytes } from '../host/words.ts'
import { describePrecompileFailure } from '../precompiles/failures.ts'
import type { CallKind, HaltReason, StepText, Tracer } from '../types.ts'
import { stepHead } from './opcodeNames.ts'
import { callOpcodes } from './opcodes.ts'
import { StepView } from './stepView.ts'

type TraceImports = Pick<HostImports, 'step' | 'fault' | 'enter' | 'exit' | 'log' | 'text' | 'read'>

const nothing = (): void => {}

/** The imports of the plain build, which never calls them. */
export const noopTraceImports: TraceImports = {
  step: nothing,
  fault: nothing,
  enter: nothing,
  exit: nothing,
  log: nothing,
  text: nothing,
  read: nothing,
}

/**
 * Selects the instructions that the EVM reports to the tracer, because most of the cost of a trace is in the
 * reports.
 */
export const selectTracedOpcodes = ({ bytes, at }: EvmInstance, tracer: Tracer | undefined): void => {
  const { step, steps, stepsOnce } = tracer ?? {}
  bytes.fill(step !== undefined && steps === undefined ? 1 : 0, at.STEPS, at.STEPS + 256)
  if (step !== undefined)
    for (const op of steps ?? []) bytes[at.STEPS + op] = stepsOnce?.has(op) ? markOfOnce(op) : 1
  if (stepsOnce !== undefined) bytes.fill(0, at.TOLD, at.TOLD + at.TOLD_SIZE)
  bytes[at.READS] = tracer !== undefined && readHooks.some((hook) => tracer[hook] !== undefined) ? 1 : 0
}

const readHooks = ['storageRead', 'storageWrite', 'balanceRead', 'accountRead'] as const

/** The mark of an instruction that is reported once for the word that names an address or a slot (assembly/trace/trace.ts). */
const markOfOnce = (op: number): number => (callOpcodes.has(op) ? 4 : 3)

/** An open frame, with the fields that the events of inner frames need. */
interface OpenFrame {
  readonly self: Uint8Array
  readonly value: bigint
  /** The precompile that runs in the frame, and its input. */
  readonly precompile: { readonly number: number; readonly input: Uint8Array } | undefined
  /** Whether it is a creation without any code, which the EVM stops but geth does not begin. */
  readonly isEmptyCreation: boolean
  /** The error text of its last instruction. */
  message: string | undefined
}

/**
 * Creates the imports that convert the reports of the instrumented build into events for the execution's
 * tracer.
 */
export const createTraceImports = (
  current: () => HostState,
): { readonly imports: TraceImports; readonly reset: () => void } => {
  const frames: OpenFrame[] = []
  const view = new StepView(() => current().instance)
  /** Whether the EVM writes the steps of this transaction. */
  let isWritten = false

  const takeText = (text: StepText): void => {
    const { instance } = current()
    const length = instance.run.takeText()
    const start = instance.run.textStart.value
    if (length > 0) text.write(instance.bytes.subarray(start, start + length))
  }

  const beginText = (text: StepText): void => {
    const { instance } = current()
    const { at } = instance
    const heads = instance.run.reserveText(text.hasStack ? 1 : 0)
    if (heads === 0) return
    instance.bytes.set(textHeads, heads)
    instance.bytes.fill(written, at.STEPS, at.STEPS + 256)
    for (const op of text.told) instance.bytes[at.STEPS + op] = 1
    isWritten = true
  }

  const fail = (tracer: Tracer, hasRun: boolean): void => {
    view.describeError(current().context.fork, hasRun)
    const frame = frames.at(-1)
    if (frame !== undefined) frame.message = view.message
    if (hasRun) return tracer.fault?.(view)
    if (view.error !== 'invalid opcode') return tracer.step?.(view)
    // geth finds the error only when it executes the instruction.
    const { error, message } = view
    view.clearError()
    tracer.step?.(view)
    view.error = error
    view.message = message
    tracer.fault?.(view)
  }

  const imports: TraceImports = {
    // It is called for every instruction: parameters by name, because a list of them is an object.
    step: (pc, op, gas, cost, frame, sp, error) => {
      const { tracer } = current().context
      if (tracer === undefined || frames.at(-1)?.isEmptyCreation === true) return
      const { text } = tracer
      if (text !== undefined && isWritten) takeText(text)
      view.moveTo(pc, op, gas, cost, frame, sp, error, frames.length)
      if (view.error === undefined) tracer.step?.(view)
      else fail(tracer, false)
      if (text !== undefined && !isWritten) beginText(text)
    },
    fault: (pc, op, gas, cost, frame, sp, error) => {
      const { tracer } = current().context
      if (tracer === undefined) return
      if (tracer.text !== undefined && isWritten) takeText(tracer.text)
      view.moveTo(pc, op, gas, cost, frame, sp, error, frames.length)
      fail(tracer, true)
    },
    enter: (kind, from, to, value, gas, input, length, precompile) => {
      const { context, instance } = current()
      const name = callKind(kind)
      const { tracer } = context
      // Who is notified of no frame needs only to know how deep it is.
      const isTold = tracer?.exit !== undefined && (tracer.exits === undefined || frames.length === 0)
      if (tracer === undefined || (tracer.enter === undefined && !isTold)) {
        frames.push(length === 0 && isCreation(name) ? emptyCreation : untold)
        return
      }
      const above = frames.at(-1)
      const isDelegate = name === 'DELEGATECALL' && above !== undefined
      const caller = isDelegate ? above.self : readWordAsBytes(instance.bytes, from, 20)
      const target = readWordAsBytes(instance.bytes, to, 20)
      const amount = isDelegate ? above.value : readWord(instance.view, value)
      const data = instance.copy(input, length)
      const depth = frames.length
      frames.push({
        self: runsInCaller(name) ? caller : target,
        value: amount,
        precompile: precompile === 0 ? undefined : { number: precompile, input: data },
        isEmptyCreation: length === 0 && isCreation(name),
        message: undefined,
      })
      const isPrecompile = precompile !== 0
      const event = {
        kind: name,
        depth,
        from: caller,
        to: target,
        value: amount,
        gas,
        input: data,
        isPrecompile,
      }
      tracer.enter?.(event)
    },
    exit: (gasUsed, output, length, status) => {
      const { context, instance } = current()
      const frame = frames.pop()
      const { tracer } = context
      if (tracer?.text !== undefined && isWritten && frames.length === 0) takeText(tracer.text)
      if (tracer?.exit === undefined || (tracer.exits !== undefined && frames.length > 0)) return
      const error = haltReason(status)
      tracer.exit({
        depth: frames.length,
        gasUsed,
        output: instance.copy(output, length),
        error,
        message: error && describeEnd(error, frame, instance),
      })
    },
    log: (entry) => {
      const { context, instance } = current()
      context.tracer?.log?.(decodeLog(instance, entry), frames.length, instance.run.logCount.value - 1)
    },
    text: (at, length) => {
      const { context, instance } = current()
      context.tracer?.text?.write(instance.bytes.subarray(at, at + length))
    },
    read: (kind, account, slot, value) => {
      const { context, instance } = current()
      const { tracer } = context
      if (tracer === undefined) return
      const { at } = instance
      const word = (pointer: number): Uint8Array => readWordAsBytes(instance.bytes, pointer, 32)
      if (kind === 0) tracer.storageRead?.(instance.addressOf(account), word(slot), word(value))
      else if (kind === 1)
        tracer.balanceRead?.(instance.addressOf(account), readWord(instance.view, account + at.A_BALANCE))
      else if (kind === 2) tracer.accountRead?.(instance.addressOf(account))
      else if (tracer.storageWrite !== undefined) {
        const record = instance.run.slot(account, slot)
        tracer.storageWrite(instance.addressOf(account), word(slot), word(record + at.S_VALUE), word(value))
      }
    },
  }
  return {
    imports,
    reset: () => {
      frames.length = 0
      isWritten = false
    },
  }
}

/** The mark of an instruction that the EVM writes (assembly/trace/trace.ts). */
const written = 2

/** What an entry has between the position and the gas, for each instruction: 64 bytes that begin with the length. */
const textHeads = new Uint8Array(256 * 64)
for (let op = 0; op < 256; op++) {
  const head = encodeUtf8(stepHead(op))
  textHeads.set(head, op * 64 + 1)
  textHeads[op * 64] = head.length
}

const isCreation = (kind: CallKind): boolean => kind === 'CREATE' || kind === 'CREATE2'

const nobody = new Uint8Array(20)
const untold: OpenFrame = {
  self: nobody,
  value: 0n,
  precompile: undefined,
  isEmptyCreation: false,
  message: undefined,
}
const emptyCreation: OpenFrame = { ...untold, isEmptyCreation: true }

const runsInCaller = (kind: CallKind): boolean => kind === 'DELEGATECALL' || kind === 'CALLCODE'

const describeEnd = (error: HaltReason, frame: OpenFrame | undefined, { run }: EvmInstance): string => {
  if (error === 'execution reverted') return error
  if (error === 'max code size exceeded')
    return `${error}: code size ${run.depositSize.value} limit ${run.maxCode.value}`
  if (frame?.precompile !== undefined && error === 'precompile failed')
    return describePrecompileFailure(frame.precompile.number, frame.precompile.input)
  return frame?.message ?? error
}
