import { toHex } from '../../base/encoding/hex.ts'
import { type EvmStateReader, emptyCodeHash } from '../../chain/state/evmState.ts'
import { wordToHex } from '../host/words.ts'
import { callOpcodes, opcode } from '../tracing/opcodes.ts'
import type { StartEvent, StepEvent } from '../types.ts'
import { type CallFrame, CallFrameTree, clearFailedLogs } from './callFrames.ts'
import { writeHead, writeLogs, writeValue } from './callTracer.ts'
import { copyPadded } from './copyPadded.ts'
import type { TraceOutput } from './output.ts'
import { TraceError, type TracerFactory } from './tracer.ts'
import { readFlag, toConfigObject } from './tracerConfig.ts'

/** A call with the fields that the rules of ERC-7562 need. */
interface OpcodeFrame extends CallFrame {
  readonly reads: Map<string, string>
  readonly writes: Map<string, number>
  readonly transientReads: Map<string, number>
  readonly transientWrites: Map<string, number>
  readonly extCodeAccess: string[]
  readonly usedOpcodes: Map<number, number>
  readonly contractSizes: Map<string, { readonly size: number; readonly op: number }>
  isOutOfGas: boolean
}

const isExt = (code: number): boolean =>
  code === opcode.extcodesize || code === opcode.extcodecopy || code === opcode.extcodehash

/** The opcodes that are not counted by default: PUSH, DUP, SWAP and plain arithmetic. */
const defaultIgnored: readonly number[] = [
  ...Array.from({ length: 0x9f - 0x5f + 1 }, (_, index) => 0x5f + index),
  ...[0x50, 0x01, 0x03, 0x02, 0x04, 0x14, 0x10, 0x11, 0x12, 0x13, 0x1b, 0x1c, 0x16, 0x17, 0x19, 0x15],
]

const ignoredOf = (config: unknown): ReadonlySet<number> => {
  const list = toConfigObject(config).ignoredOpcodes
  if (list === undefined || list === null) return new Set(defaultIgnored)
  if (!Array.isArray(list)) throw new TraceError('tracerConfig.ignoredOpcodes: expected a list of QUANTITY')
  return new Set(
    list.map((item: unknown) => {
      if (typeof item === 'string' && /^0x(?:0|[1-9a-f][0-9a-f]*)$/i.test(item)) return Number(item) & 0xff
      throw new TraceError('tracerConfig.ignoredOpcodes: expected a list of QUANTITY')
    }),
  )
}

const topItemsOf = (config: unknown): number => {
  const size = toConfigObject(config).stackTopItemsSize ?? 0
  if (typeof size !== 'number' || !Number.isInteger(size))
    throw new TraceError('tracerConfig.stackTopItemsSize: expected an integer')
  return size === 0 ? 3 : size
}

const toAddress = (value: bigint): string => `0x${wordToHex(value).slice(26)}`

const count = (map: Map<string, number>, key: string): void => {
  map.set(key, (map.get(key) ?? 0) + 1)
}

const codeSize = (state: EvmStateReader, address: string): number => {
  const account = state.account(Buffer.from(address.slice(2), 'hex'))
  return account === undefined ? 0 : state.code(account.codeHash ?? emptyCodeHash).length
}

/**
 * The tracer for the validation rules of account abstraction: calls with the opcodes, slots and code that
 * they used.
 */
export const erc7562Tracer: TracerFactory = (config, { logsBefore, memoryLimit }) => {
  const ignored = ignoredOf(config)
  const topItems = topItemsOf(config)
  const withLog = readFlag(config, 'withLog')
  const preimages = new Map<string, Uint8Array>()
  const frames = new CallFrameTree<OpcodeFrame>(
    (frame) => ({
      ...frame,
      reads: new Map(),
      writes: new Map(),
      transientReads: new Map(),
      transientWrites: new Map(),
      extCodeAccess: [],
      usedOpcodes: new Map(),
      contractSizes: new Map(),
      isOutOfGas: false,
    }),
    memoryLimit,
  )
  let begun: StartEvent | undefined
  let last: { readonly code: number; readonly top: bigint | undefined } | undefined

  const touch = (step: StepEvent, frame: OpcodeFrame): void => {
    const slot = wordToHex(step.stack(0))
    if (step.op === opcode.sstore) count(frame.writes, slot)
    else if (step.op === opcode.tload) count(frame.transientReads, slot)
    else if (step.op === opcode.tstore) count(frame.transientWrites, slot)
    else if (!frame.reads.has(slot) && !frame.writes.has(slot) && begun !== undefined)
      frame.reads.set(slot, toHex(begun.state.storage(step.address, Buffer.from(slot.slice(2), 'hex'))))
  }

  const look = (step: StepEvent, frame: OpcodeFrame): void => {
    const address = toAddress(step.stack(isExt(step.op) ? 0 : 1))
    if (begun === undefined || frame.contractSizes.has(address)) return
    frame.contractSizes.set(address, { size: codeSize(begun.state, address), op: step.op })
  }

  return {
    start: (event) => {
      begun = event
    },
    enter: (event) => {
      const frame = frames.enter(event)
      if (event.depth === 0) frame.gas = begun?.gasLimit ?? event.gas
    },
    exit: (event) => {
      const frame = frames.last
      const isShort = event.error === 'contract creation code storage out of gas'
      if (frame !== undefined && event.depth > 0 && (isShort || event.message?.startsWith('out of gas')))
        frame.isOutOfGas = true
      frames.exit(event)
    },
    log: (log, _depth, index) => {
      if (withLog) frames.addLog(log, logsBefore + index)
    },
    step: (step) => {
      const code = step.op
      const frame = frames.last
      if (frame === undefined) return
      if (code === opcode.revert || code === opcode.return) last = undefined
      const needed = callOpcodes.has(code) ? 2 : code === opcode.keccak ? 2 : 1
      const hasOperands = step.stackSize >= needed
      if (last !== undefined && isExt(last.code) && last.top !== undefined) {
        const isCheck = last.code === opcode.extcodesize && code === opcode.iszero
        if (!isCheck) frame.extCodeAccess.push(toAddress(last.top))
      }
      if ((isExt(code) || callOpcodes.has(code)) && hasOperands) look(step, frame)
      const used = frame.usedOpcodes
      if (last?.code === opcode.gas && !callOpcodes.has(code))
        used.set(opcode.gas, (used.get(opcode.gas) ?? 0) + 1)
      if (code !== opcode.gas && !ignored.has(code)) used.set(code, (used.get(code) ?? 0) + 1)
      const isStorage =
        code === opcode.sload || code === opcode.sstore || code === opcode.tload || code === opcode.tstore
      if (isStorage && hasOperands) touch(step, frame)
      if (code === opcode.keccak && hasOperands) {
        const preimage = copyPadded(step, step.stack(0), step.stack(1))
        if (preimage !== undefined) preimages.set(toHex(preimage), preimage)
      }
      last = { code, top: step.stackSize > 0 && topItems > 0 ? step.stack(0) : undefined }
    },
    end: ({ gasUsed }) => {
      frames.top.gasUsed = gasUsed
      if (withLog) clearFailedLogs(frames.top)
    },
    result: (output) => writeFrame(frames.top, output, preimages),
  }
}

const writeMap = <Value>(
  output: TraceOutput,
  name: string,
  map: ReadonlyMap<string, Value>,
  text: (value: Value) => string,
): void => {
  const entries = [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  output.ascii(`"${name}":{${entries.map(([key, value]) => `"${key}":${text(value)}`).join(',')}}`)
}

const writeFrame = (
  frame: CallFrame,
  output: TraceOutput,
  preimages: ReadonlyMap<string, Uint8Array> | undefined,
): void => {
  const opcodeFrame = frame as OpcodeFrame // the only kind that this tracer makes
  writeHead(frame, output)
  writeLogs(frame.logs, output)
  writeValue(frame, output)
  output.ascii(',"accessedSlots":{')
  writeMap(output, 'reads', opcodeFrame.reads, (value) => `["${value}"]`)
  output.ascii(',')
  writeMap(output, 'writes', opcodeFrame.writes, String)
  output.ascii(',')
  writeMap(output, 'transientReads', opcodeFrame.transientReads, String)
  output.ascii(',')
  writeMap(output, 'transientWrites', opcodeFrame.transientWrites, String)
  output.ascii(`},"extCodeAccessInfo":${JSON.stringify(opcodeFrame.extCodeAccess)},`)
  const used = new Map(
    [...opcodeFrame.usedOpcodes].map(([code, times]) => [`0x${code.toString(16)}`, times] as const),
  )
  writeMap(output, 'usedOpcodes', used, String)
  output.ascii(',')
  const sizeText = ({ size, op }: { readonly size: number; readonly op: number }): string =>
    `{"contractSize":${size},"opcode":${op}}`
  writeMap(output, 'contractSize', opcodeFrame.contractSizes, sizeText)
  output.ascii(`,"outOfGas":${opcodeFrame.isOutOfGas}`)
  const inOrder = [...(preimages?.values() ?? [])].sort((a, b) => Buffer.compare(a, b))
  output.listMember('keccak', inOrder, (preimage) => output.data(preimage))
  output.listMember('calls', frame.calls, (call) => writeFrame(call, output, undefined))
  output.ascii(`,"type":"${frame.kind}"}`)
}
