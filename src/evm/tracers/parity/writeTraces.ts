import { hexOrNull, type TraceOutput } from '../output.ts'
import type { TraceContext } from '../tracer.ts'
import { toParityError } from './parityErrors.ts'
import { type ParityFrame, traceAddressOf } from './parityFrames.ts'

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
  output.ascii(',"gas":')
  output.quantity(gas)
  output.ascii(',"input":')
  output.data(input)
  output.ascii(',"to":')
  output.data(to)
  output.ascii(',"value":')
  output.quantity(value)
}

const writeCreation = ({ kind, from, gas, input, value }: ParityFrame, output: TraceOutput): void => {
  output.ascii(`"creationMethod":"${kind.toLowerCase()}","from":`)
  output.data(from)
  output.ascii(',"gas":')
  output.quantity(gas)
  output.ascii(',"init":')
  output.data(input)
  output.ascii(',"value":')
  output.quantity(value)
}

const writeDestruction = ({ from, to, value }: ParityFrame, output: TraceOutput): void => {
  output.ascii('"address":')
  output.data(from)
  output.ascii(',"balance":')
  output.quantity(value)
  output.ascii(',"refundAddress":')
  output.data(to)
}

const writeResult = (frame: ParityFrame, isCreate: boolean, output: TraceOutput): void => {
  output.ascii('{')
  if (isCreate) {
    output.ascii('"address":')
    output.data(frame.to)
    output.ascii(',"code":')
    output.data(frame.output)
    output.ascii(',')
  }
  output.ascii('"gasUsed":')
  output.quantity(frame.gasUsed)
  if (!isCreate) {
    output.ascii(',"output":')
    output.data(frame.output)
  }
  output.ascii('}')
}
