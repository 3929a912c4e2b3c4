import type { CallFrame } from './callFrames.ts'
import { CallFrameTree } from './callFrames.ts'
import { hexOrNull, type TraceOutput } from './output.ts'
import { createPrecompileCheck } from './precompileAddresses.ts'
import type { TraceContext, TracerFactory } from './tracer.ts'
import { readFlag } from './tracerConfig.ts'

/** Parity's error texts, by geth's. */
const parityErrors: ReadonlyMap<string, string> = new Map([
  ['contract creation code storage out of gas', 'Out of gas'],
  ['out of gas', 'Out of gas'],
  ['gas uint64 overflow', 'Out of gas'],
  ['max code size exceeded', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  ['execution reverted', 'Reverted'],
  ['return data out of bounds', 'Out of bounds'],
  ['stack limit reached 1024 (1023)', 'Out of stack'],
  ['precompiled failed', 'Built-in failed'],
  ['invalid input length', 'Built-in failed'],
])
const parityPrefixes: readonly (readonly [string, string])[] = [
  ['out of gas:', 'Out of gas'],
  ['invalid opcode:', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
]

const toParityError = (error: string): string =>
  parityErrors.get(error) ?? parityPrefixes.find(([prefix]) => error.startsWith(prefix))?.[1] ?? error

/** The tracer that returns the calls as a list, in the form of Parity's traces. */
export const flatCallTracer: TracerFactory = (config, context) => {
  const convertsErrors = readFlag(config, 'convertParityErrors')
  const withPrecompiles = readFlag(config, 'includePrecompiles')
  const isPrecompile = createPrecompileCheck(context.fork)
  const frames = new CallFrameTree((frame) => frame, context.memoryLimit)
  let gasLimit = 0n
  return {
    start: (event) => {
      gasLimit = event.gasLimit
    },
    enter: (event) => {
      const frame = frames.enter(event)
      if (event.depth === 0) frame.gas = gasLimit
    },
    exit: (event) => {
      frames.exit(event)
      if (event.depth === 0 || withPrecompiles) return
      const calls = frames.last?.calls
      const call = calls?.at(-1)
      const isPlain = call?.kind === 'CALL' || call?.kind === 'STATICCALL'
      if (isPlain && call.to !== undefined && isPrecompile(call.to)) calls?.pop()
    },
    end: ({ gasUsed }) => {
      frames.top.gasUsed = gasUsed
    },
    result: (output) => {
      const location = toTransactionMembers(context)
      const write = (frame: CallFrame, address: readonly number[]): void => {
        output.ascii(address.length === 0 ? '[' : ',')
        writeEntry(frame, address, location, convertsErrors, output)
        for (const [index, call] of frame.calls.entries()) write(call, [...address, index])
      }
      write(frames.top, [])
      output.ascii(']')
    },
  }
}

interface TransactionMembers {
  readonly beforeError: string
  readonly afterAddress: string
}

const toTransactionMembers = ({
  blockHash,
  blockNumber,
  transactionHash,
  transactionIndex,
}: TraceContext): TransactionMembers => ({
  beforeError: `,"blockHash":${hexOrNull(blockHash)},"blockNumber":${blockNumber ?? 0}`,
  afterAddress: `,"transactionHash":${hexOrNull(transactionHash)},"transactionPosition":${transactionIndex}`,
})

const writeEntry = (
  frame: CallFrame,
  address: readonly number[],
  members: TransactionMembers,
  convertsErrors: boolean,
  output: TraceOutput,
): void => {
  const isCreate = frame.kind === 'CREATE' || frame.kind === 'CREATE2'
  const isDestruct = frame.kind === 'SELFDESTRUCT'
  output.ascii('{"action":{')
  if (isDestruct) writeDestruct(frame, output)
  else writeAction(frame, isCreate, output)
  output.ascii('}')
  output.ascii(members.beforeError)
  const { error } = frame
  if (error !== undefined) {
    output.ascii(',"error":')
    output.json(convertsErrors ? toParityError(error) : error)
  }
  if (!isDestruct && (error === undefined || error === 'execution reverted')) {
    output.ascii(',"result":{')
    if (isCreate) writeCreated(frame, output)
    else {
      output.quantityMember('"gasUsed":', frame.gasUsed)
      output.dataMember(',"output":', frame.output ?? new Uint8Array(0))
    }
    output.ascii('}')
  }
  output.ascii(`,"subtraces":${frame.calls.length},"traceAddress":[${address.join(',')}]`)
  output.ascii(members.afterAddress)
  output.ascii(`,"type":"${isDestruct ? 'suicide' : isCreate ? 'create' : 'call'}"}`)
}

const writeDestruct = (frame: CallFrame, output: TraceOutput): void => {
  output.dataMember('"address":', frame.from)
  output.quantityMember(',"balance":', frame.value ?? 0n)
  if (frame.to === undefined) return
  output.dataMember(',"refundAddress":', frame.to)
}

const writeAction = (frame: CallFrame, isCreate: boolean, output: TraceOutput): void => {
  output.ascii(`"${isCreate ? 'creationMethod' : 'callType'}":"${frame.kind.toLowerCase()}","from":`)
  output.data(frame.from)
  output.quantityMember(',"gas":', frame.gas)
  output.dataMember(isCreate ? ',"init":' : ',"input":', frame.input)
  if (!isCreate && frame.to !== undefined) output.dataMember(',"to":', frame.to)
  output.quantityMember(',"value":', frame.value ?? 0n)
}

const writeCreated = (frame: CallFrame, output: TraceOutput): void => {
  if (frame.to !== undefined) {
    output.dataMember('"address":', frame.to)
    output.ascii(',')
  }
  output.dataMember('"code":', frame.output ?? new Uint8Array(0))
  output.quantityMember(',"gasUsed":', frame.gasUsed)
}
