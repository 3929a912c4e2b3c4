import { toHex } from '../../base/encoding/hex.ts'
import { unavailable, unsupported } from '../../chain/chainError.ts'
import type { TraceOptions } from '../../chain/port/traces.ts'

/**
 * Traces in Parity's format from a chain whose nodes have geth's flatCallTracer alone: the lists of calls, without changes of
 * the state and instructions. The outermost call has the gas of the whole transaction, as geth counts it.
 */

/** Returns whether a client wants Parity's format. */
export const isParity = ({ tracer }: TraceOptions): boolean => tracer === 'parityTracer'

interface ParityConfig {
  readonly kinds?: readonly string[]
  readonly withHash?: boolean
  readonly filter?: {
    readonly fromAddress?: readonly string[]
    readonly toAddress?: readonly string[]
    readonly mode?: string
  }
  readonly position?: number
}

interface FlatTrace {
  readonly action: Readonly<Record<string, string>>
  readonly error?: string
  readonly result?: Readonly<Record<string, string>>
  readonly subtraces: number
  readonly traceAddress: readonly number[]
  readonly type: string
}

/** The location of a transaction, as the traces name it. */
export interface TracedLocation {
  readonly blockHash: Uint8Array | undefined
  readonly blockNumber: number | undefined
  readonly transactionHash: Uint8Array | undefined
  readonly transactionIndex: number
}

const configOf = ({ tracerConfig }: TraceOptions): ParityConfig => (tracerConfig ?? {}) as ParityConfig // made by the API

/** Returns the options with which a node of the chain is asked. */
export const toFlatOptions = (options: TraceOptions): TraceOptions => {
  const { kinds = [] } = configOf(options)
  if (kinds.some((kind) => kind !== 'trace'))
    throw unsupported('the chain behind this gateway traces calls alone: no stateDiff and no vmTrace')
  return {
    ...options,
    tracer: 'flatCallTracer',
    tracerConfig: { convertParityErrors: true },
    listing: undefined,
  }
}

const fromOf = ({ action }: FlatTrace): string => action.from ?? action.address ?? ''
const toOf = ({ action, result }: FlatTrace): string =>
  action.to ?? action.refundAddress ?? result?.address ?? ''

const matches = (trace: FlatTrace, { filter }: ParityConfig): boolean => {
  if (filter === undefined) return true
  const { fromAddress = [], toAddress = [], mode } = filter
  const isFrom = fromAddress.length === 0 || fromAddress.includes(fromOf(trace))
  const isTo = toAddress.length === 0 || toAddress.includes(toOf(trace))
  if (mode === 'intersection') return isFrom && isTo
  if (fromAddress.length === 0) return isTo
  return toAddress.length === 0 ? isFrom : isFrom || isTo
}

const toParity = ({ action, error, result, subtraces, traceAddress, type }: FlatTrace) => ({
  action,
  ...(error !== undefined && { error }),
  result: result ?? null,
  subtraces,
  traceAddress,
  type,
})

/** Returns what Parity's tracer gives for one transaction: values of a list, or one object. */
const convert = (
  traces: readonly FlatTrace[],
  config: ParityConfig,
  location: TracedLocation,
): readonly unknown[] => {
  const { blockHash, blockNumber, transactionHash, transactionIndex } = location
  const hash = transactionHash === undefined ? null : toHex(transactionHash)
  if (config.kinds !== undefined) {
    const output = traces[0]?.result?.output ?? traces[0]?.result?.code ?? '0x'
    const trace = config.kinds.includes('trace') ? traces.map(toParity) : []
    const member = config.withHash === true && hash !== null ? { transactionHash: hash } : {}
    return [{ output, stateDiff: null, trace, vmTrace: null, ...member }]
  }
  const localized = traces
    .filter((trace) => matches(trace, config))
    .map((trace) => ({
      ...toParity(trace),
      blockHash: blockHash === undefined ? null : toHex(blockHash),
      blockNumber: blockNumber ?? null,
      transactionHash: hash,
      transactionPosition: hash === null ? null : transactionIndex,
    }))
  return config.position === undefined ? localized : localized.slice(config.position, config.position + 1)
}

const parse = (json: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(json).toString())
  } catch {
    throw unreadable()
  }
}

const unreadable = () => unavailable("the chain's answer of its flatCallTracer cannot be read")

const asTraces = (value: unknown): readonly FlatTrace[] => {
  if (!Array.isArray(value)) throw unreadable()
  return value as readonly FlatTrace[] // a list of whatever the chain says
}

/** Converts the trace of one transaction or call. */
export const toParityTrace = (
  json: Uint8Array,
  options: TraceOptions,
  location: TracedLocation,
): Uint8Array => {
  const config = configOf(options)
  const values = convert(asTraces(parse(json)), config, location)
  return Buffer.from(JSON.stringify(config.kinds === undefined ? values : values[0]))
}

/** Converts the traces of a block, an entry for each of its transactions. */
export const toParityBlock = (
  json: Uint8Array,
  options: TraceOptions,
  locations: readonly TracedLocation[],
): Uint8Array => {
  const entries = parse(json)
  if (!Array.isArray(entries) || entries.length !== locations.length) throw unreadable()
  const values = entries.flatMap((entry: { readonly result?: unknown }, index) =>
    convert(asTraces(entry.result), configOf(options), locations[index] as TracedLocation),
  )
  return Buffer.from(JSON.stringify(values))
}
