import { toHex } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { StreamedJson, TraceOptions } from '../../chain/port/traces.ts'
import { limitExceeded, unavailable } from '../../rpc/errors.ts'
import { kindTraces, matchingTraces } from '../trace/options.ts'

/** One of Parity's traces, as far as it is read here. */
interface ReadTrace {
  readonly type: string
  readonly action: Readonly<Record<string, string>>
  readonly result: Readonly<Record<string, string>> | null
  readonly error?: string
  readonly traceAddress: readonly number[]
  readonly transactionHash?: string
  readonly transactionPosition?: number
}

interface ReadTraces {
  readonly output: string
  readonly trace: readonly ReadTrace[]
}

/** Parses a trace that is short enough to be converted on this thread. */
const parseTrace = async <T>(trace: Promise<StreamedJson>): Promise<T> => {
  const text = await trace
  if (text.bytes === undefined) {
    text.dispose()
    throw limitExceeded(
      `the trace is too large for this method: ${text.size} bytes; ask debug_traceTransaction`,
    )
  }
  return JSON.parse(Buffer.from(text.bytes).toString()) as T // the tracer writes this
}

/** Returns the positions of the transactions that traces of a block are of. */
export const readTransactionPositions = async (traces: Promise<StreamedJson>): Promise<readonly number[]> =>
  (await parseTrace<readonly ReadTrace[]>(traces)).flatMap(({ transactionPosition }) =>
    transactionPosition === undefined ? [] : [transactionPosition],
  )

const calls: TraceOptions = kindTraces(['trace'])

const readTraces = (chain: Chain, hash: Uint8Array, signal: AbortSignal): Promise<ReadTraces> =>
  parseTrace(chain.traces.transaction(hash, calls, signal))

const noAddress = `0x${'00'.repeat(20)}`

/** Returns the recipient of a trace, the created contract or the heir. */
const recipientOf = ({ action, result }: ReadTrace): string =>
  action.to ?? action.refundAddress ?? result?.address ?? noAddress

const senderOf = ({ action }: ReadTrace): string => action.from ?? action.address ?? noAddress

/** Returns the instruction that made a trace. */
const instructionOf = ({ type, action }: ReadTrace): string =>
  type === 'suicide' ? 'SELFDESTRUCT' : (action.callType ?? action.creationMethod ?? 'call').toUpperCase()

const operationTypes: Readonly<Record<string, number>> = {
  CALL: 0,
  SELFDESTRUCT: 1,
  CREATE: 2,
  CREATE2: 3,
}

/** Returns the transfers, creations and destructions inside a transaction. */
export const readOperations = async (chain: Chain, hash: Uint8Array, signal: AbortSignal) =>
  (await readTraces(chain, hash, signal)).trace
    .filter(({ traceAddress }) => traceAddress.length > 0)
    .flatMap((trace) => {
      const type = operationTypes[instructionOf(trace)]
      const value = trace.action.value ?? trace.action.balance ?? '0x0'
      if (type === undefined || (type === 0 && value === '0x0')) return []
      return [{ type, from: senderOf(trace), to: recipientOf(trace), value }]
    })

/** The calls that carry no value of their own. */
const valueless = new Set(['DELEGATECALL', 'STATICCALL'])

/** Returns the calls of a transaction with their depths, in order. */
export const readCalls = async (chain: Chain, hash: Uint8Array, signal: AbortSignal) =>
  (await readTraces(chain, hash, signal)).trace.map((trace) => {
    const { action, result, traceAddress } = trace
    const type = instructionOf(trace)
    return {
      type,
      depth: traceAddress.length,
      from: senderOf(trace),
      to: recipientOf(trace),
      value: valueless.has(type) ? null : (action.value ?? action.balance ?? '0x0'),
      input: action.input ?? action.init ?? '0x',
      output: result?.output ?? result?.code ?? '0x',
    }
  })

/** Returns what a transaction reverted with; no bytes if it did not revert. */
export const readRevert = async (chain: Chain, hash: Uint8Array, signal: AbortSignal): Promise<string> => {
  const { trace, output } = await readTraces(chain, hash, signal)
  return trace[0]?.error === 'Reverted' ? output : '0x'
}

/** Returns the first block after which an account has code, as the states of the chain tell; 0 for the genesis. */
const findFirstBlock = async (chain: Chain, address: Uint8Array, signal: AbortSignal): Promise<number> => {
  const hasCode = async (number: number): Promise<boolean> => {
    const state = await chain.state({ kind: 'number', number: BigInt(number) })
    return (await state.code(address)).length > 0
  }
  let [first, last] = [chain.retention().oldestState, chain.head().number]
  if (await hasCode(first)) {
    if (first === 0) return 0
    throw unavailable(`the contract is older than the oldest state that is kept, that of block ${first}`)
  }
  while (first < last) {
    signal.throwIfAborted()
    const middle = Math.floor((first + last) / 2)
    if (await hasCode(middle)) last = middle
    else first = middle + 1
  }
  return first
}

/** Returns who created a contract, and in which transaction; null if the address is not a contract, or was in the genesis. */
export const readContractCreator = async (chain: Chain, address: Uint8Array, signal: AbortSignal) => {
  const head = await chain.state({ kind: 'tag', tag: 'latest' })
  if ((await head.code(address)).length === 0) return null
  const number = await findFirstBlock(chain, address, signal)
  if (number === 0) return null
  const options = matchingTraces({ fromAddresses: [], toAddresses: [address], mode: 'union' })
  const block = { kind: 'number', number: BigInt(number) } as const
  const traces = await parseTrace<readonly ReadTrace[]>(chain.traces.block(block, options, signal))
  const wanted = toHex(address)
  const creation = traces.find(
    ({ type, error, result }) => type === 'create' && error === undefined && result?.address === wanted,
  )
  const hash = creation?.transactionHash
  return creation === undefined || hash === undefined ? null : { hash, creator: senderOf(creation) }
}
