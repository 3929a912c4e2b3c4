import type { HaltReason } from '../../types.ts'
import { hexOrNull, type TraceOutput } from '../output.ts'
import type { TraceContext } from '../tracer.ts'
import { type ParityFrame, traceAddressOf } from './parityFrames.ts'

/**
 * Parity's words for a failed frame. Parity had no frame for a call that does not begin (too deep, no funds, a collision);
 * those have the words of reth or a capital letter.
 */
const words: Readonly<Record<HaltReason, string>> = {
  'execution reverted': 'Reverted',
  'out of gas': 'Out of gas',
  'stack underflow': 'Stack underflow',
  'stack overflow': 'Out of stack',
  'invalid opcode': 'Bad instruction',
  'invalid jump destination': 'Bad jump destination',
  'write protection': 'Mutable Call In Static Context',
  'return data out of bounds': 'Out of bounds',
  'max call depth exceeded': 'Max call depth exceeded',
  'insufficient balance for transfer': 'Insufficient balance for transfer',
  'contract address collision': 'Contract address collision',
  'max code size exceeded': 'Out of gas',
  'max initcode size exceeded': 'Out of gas',
  'invalid code: must not begin with 0xef': 'Invalid code',
  'contract creation code storage out of gas': 'Out of gas',
  'nonce uint64 overflow': 'Nonce overflow',
  'precompile failed': 'Built-in failed',
}

const toParityError = (reason: HaltReason): string => words[reason]

/** The members that say where in the chain a trace is, before and after the others in the order of their names. */
export interface TraceLocation {
  readonly block: string
  readonly transaction: string
}

/** The location of a trace that says nothing about the chain. */
export const noLocation: TraceLocation = { block: '', transaction: '' }

export const toTraceLocation = ({
  blockHash,
  blockNumber,
  transactionHash,
  transactionIndex,
}: Pick<
  TraceContext,
  'blockHash' | 'blockNumber' | 'transactionHash' | 'transactionIndex'
>): TraceLocation => ({
  block: `,"blockHash":${hexOrNull(blockHash)},"blockNumber":${blockNumber ?? 'null'}`,
  transaction: `,"transactionHash":${hexOrNull(transactionHash)},"transactionPosition":${
    transactionHash === undefined ? 'null' : transactionIndex
  }`,
})

export const isCreation = ({ kind }: Pick<ParityFrame, 'kind'>): boolean =>
  kind === 'CREATE' || kind === 'CREATE2'

/** Writes a frame as one of Parity's traces. */
export const writeTrace = (frame: ParityFrame, location: TraceLocation, output: TraceOutput): void => {
  const isDestruction = frame.kind === 'SELFDESTRUCT'
  const isCreate = isCreation(frame)
  output.ascii('{"action":{')
  if (isDestruction) writeDestruction(frame, output)
  else if (isCreate) writeCreation(frame, output)
  else writeCall(frame, output)
  output.ascii('}')
  output.ascii(location.block)
  if (frame.error !== undefined) output.ascii(`,"error":"${toParityError(frame.error)}"`)
  output.ascii(',"result":')
  const hasResult = frame.error === undefined || frame.error === 'execution reverted'
  if (isDestruction || !hasResult) output.ascii('null')
  else writeResult(frame, isCreate, output)
  output.ascii(`,"subtraces":${frame.subtraces},"traceAddress":[${traceAddressOf(frame).join(',')}]`)
  output.ascii(location.transaction)
  output.ascii(`,"type":"${isDestruction ? 'suicide' : isCreate ? 'create' : 'call'}"}`)
}

const writeCall = ({ kind, from, gas, input, to, value }: ParityFrame, output: TraceOutput): void => {
  output.ascii(`"callType":"${kind.toLowerCase()}","from":`)
  output.data(from)
  output.quantityMember(',"gas":', gas)
  output.dataMember(',"input":', input)
  output.dataMember(',"to":', to)
  output.quantityMember(',"value":', value)
}

const writeCreation = ({ kind, from, gas, input, value }: ParityFrame, output: TraceOutput): void => {
  output.ascii(`"creationMethod":"${kind.toLowerCase()}","from":`)
  output.data(from)
  output.quantityMember(',"gas":', gas)
  output.dataMember(',"init":', input)
  output.quantityMember(',"value":', value)
}

const writeDestruction = ({ from, to, value }: ParityFrame, output: TraceOutput): void => {
  output.dataMember('"address":', from)
  output.quantityMember(',"balance":', value)
  output.dataMember(',"refundAddress":', to)
}

const writeResult = (frame: ParityFrame, isCreate: boolean, output: TraceOutput): void => {
  output.ascii('{')
  if (isCreate) {
    output.dataMember('"address":', frame.to)
    output.dataMember(',"code":', frame.output)
    output.ascii(',')
  }
  output.quantityMember('"gasUsed":', frame.gasUsed)
  if (!isCreate) {
    output.dataMember(',"output":', frame.output)
  }
  output.ascii('}')
}
