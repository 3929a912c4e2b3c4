import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import {
  EstimateGasResponseSchema,
  QueryTraceBlockResponseSchema,
  QueryTraceTxResponseSchema,
} from '../../../src/cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { MsgEthereumTxResponseSchema } from '../../../src/cosmos/gen/cosmos/evm/vm/v1/tx_pb.ts'
import { readRecordedText } from '../../support/nativeRecordings.ts'
import { type QueryAnswer, QueryError } from '../replay/chain.ts'
import { RecordedChain } from '../replay/recorded.ts'
import { Fields } from '../replay/wire.ts'

export interface Pair {
  readonly method: string
  readonly params: readonly unknown[]
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
}

export const readPairs = (): readonly Pair[] =>
  readRecordedText('eth/pairs.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Pair)

interface CallObject {
  readonly from?: string
  readonly to?: string
  readonly data?: string
  readonly input?: string
}

const sameCall = (a: CallObject, b: CallObject): boolean => {
  const words = ({ from, to, data, input }: CallObject) => [from, to, input ?? data].join(' ').toLowerCase()
  return words(a) === words(b)
}

const transports = /^rpc error: code = \w+ desc = /

/**
 * The recorded chain at the height of the pairs. A call that was recorded at the JSON-RPC of the chain's node alone is
 * answered as its module must have answered: the same data, and the error's words as the module says them.
 */
export class PairsChain extends RecordedChain {
  override readonly earliestState = 1
  readonly #pairs = readPairs()

  constructor() {
    super({ from: 144, to: 144 })
  }

  override query(path: string, request: Uint8Array, height: number): QueryAnswer {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (name.startsWith('Trace')) return { code: 0, log: '', value: this.#trace(name, request, height) }
    try {
      return super.query(path, request, height)
    } catch (error) {
      const answer = this.#fromPair(name, request)
      if (answer !== undefined) return { code: 0, log: '', value: answer }
      // That it was not recorded says nothing about what the chain keeps.
      throw /failed to load state/.test((error as Error).message) ? new QueryError(2, 'not recorded') : error
    }
  }

  #fromPair(name: string, request: Uint8Array): Uint8Array | undefined {
    const method = { EthCall: 'eth_call', EstimateGas: 'eth_estimateGas' }[name]
    if (method === undefined) return undefined
    const asked = JSON.parse(Buffer.from(new Fields(request).bytes(1)).toString()) as CallObject
    const pair = this.#pairs.find(
      (known) =>
        known.method === method &&
        known.params[1] === '0x90' &&
        sameCall(known.params[0] as CallObject, asked),
    )
    if (pair === undefined) return undefined
    const vmError = (pair.error?.message ?? '')
      .replace(transports, '')
      .replace(/^(execution reverted).*/, '$1')
    const ret = Buffer.from(String(pair.error?.data ?? pair.result ?? '0x').slice(2), 'hex')
    if (name === 'EthCall') return encode(MsgEthereumTxResponseSchema, { ret, vmError })
    if (pair.result !== undefined)
      return encode(EstimateGasResponseSchema, { gas: BigInt(String(pair.result)) })
    if (vmError === 'execution reverted') return encode(EstimateGasResponseSchema, { ret, vmError })
    throw new QueryError(2, vmError)
  }

  #trace(name: string, request: Uint8Array, height: number): Uint8Array {
    // Asked in the state before the block.
    if (height !== 143) throw new QueryError(2, 'not recorded')
    if (name === 'TraceBlock')
      return encode(QueryTraceBlockResponseSchema, { data: this.#traced('debug_traceBlockByNumber', 0) })
    if (name !== 'TraceTx') throw new QueryError(2, 'not recorded')
    // As many before it in the block as the transaction has.
    const index = new Fields(request).all(4).length
    return encode(QueryTraceTxResponseSchema, { data: this.#traced('debug_traceTransaction', index) })
  }

  #traced(method: string, index: number): Uint8Array {
    const pairs = this.#pairs.filter((pair) => pair.method === method)
    const pair = method === 'debug_traceTransaction' ? pairs[tracedIndexes.indexOf(index)] : pairs[0]
    if (pair === undefined) throw new QueryError(2, 'not recorded')
    return Buffer.from(JSON.stringify(pair.result))
  }
}

/** Where the two traced transactions stand in their block, in the order of the pairs. */
const tracedIndexes = [1, 2]

const encode = <Desc extends Parameters<typeof create>[0]>(
  schema: Desc,
  fields: MessageInitShape<Desc>,
): Uint8Array => toBinary(schema, create(schema, fields))
