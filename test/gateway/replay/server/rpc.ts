import { sha256 } from '../block/comet.ts'
import { base64, upper } from '../block/cometJson.ts'
import {
  prunedState,
  type QueryAnswer,
  QueryError,
  type ReplayChain,
  type TransactionSearch,
} from '../chain.ts'
import { nested, text } from '../wire.ts'
import type { Faults } from './injectedFaults.ts'

/** CometBFT's methods over a chain (section 2.1). */

export class RpcError extends Error {
  readonly code: number
  readonly data: string | undefined

  constructor(code: number, message: string, data?: string) {
    super(message)
    this.code = code
    this.data = data
  }
}

export type Params = Readonly<Record<string, unknown>>

export interface ReplayContext {
  readonly chain: ReplayChain
  readonly faults: Faults
}

/** The text of a method's result. */
type Method = (spoken: ReplayContext, params: Params) => string

const internal = (data: string): RpcError => new RpcError(-32603, 'Internal error', data)
const invalid = (data: string): RpcError =>
  new RpcError(-32602, 'Invalid params', `error converting json params to arguments: ${data}`)

/** The lowest height that is given out, and the highest. */
const earliest = ({ chain, faults }: ReplayContext): number =>
  Math.max(chain.earliest, faults.prunedBelow ?? 0)
const latest = ({ chain, faults }: ReplayContext): number => chain.head - (faults.back ?? 0)

/** Whole numbers are text in CometBFT's JSON. */
const integer = (params: Params, name: string): number | undefined => {
  const value = params[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || !/^-?[0-9]+$/.test(value))
    throw invalid(`${name} is not an integer in text`)
  return Number(value)
}

const string = (params: Params, name: string): string => {
  const value = params[name]
  if (typeof value !== 'string') throw invalid(`${name} is not a string`)
  return value
}

const heightIn = (spoken: ReplayContext, params: Params): number => {
  const height = integer(params, 'height')
  if (height === undefined) return latest(spoken)
  if (height <= 0) throw internal(`height must be greater than 0, but got ${height}`)
  if (height > latest(spoken))
    throw internal(
      `height ${height} must be less than or equal to the current blockchain height ${latest(spoken)}`,
    )
  if (height < earliest(spoken))
    throw internal(`height ${height} is not available, lowest height is ${earliest(spoken)}`)
  return height
}

const noBlock = '{"block_id":{"hash":"","parts":{"total":0,"hash":""}},"block":null}'

interface BlockJson {
  readonly block_id: { readonly hash: string }
  readonly block: {
    readonly header: { readonly app_hash: string; readonly time: string }
    readonly data: { readonly txs: readonly string[] }
  }
}

const parsedBlock = (chain: ReplayChain, height: number): BlockJson | undefined => {
  const block = chain.block(height)
  return block === undefined ? undefined : (JSON.parse(block) as BlockJson)
}

const status: Method = (spoken) => {
  const { chain } = spoken
  const point = (name: string, height: number) => {
    const block = parsedBlock(chain, height)
    return {
      [`${name}_block_hash`]: block?.block_id.hash ?? '',
      [`${name}_app_hash`]: block?.block.header.app_hash ?? '',
      [`${name}_block_height`]: String(height),
      [`${name}_block_time`]: block?.block.header.time ?? '',
    }
  }
  return JSON.stringify({
    node_info: {
      protocol_version: { p2p: '8', block: '11', app: '0' },
      id: 'b8f32a6941c0fbc24950bb6cfc032ff68410295b',
      listen_addr: 'tcp://127.0.0.1:26656',
      network: chain.nativeChainId,
      version: chain.engine,
      channels: '40202122233038606100',
      moniker: 'replay',
      other: { tx_index: chain.indexed ? 'on' : 'off', rpc_address: 'tcp://127.0.0.1:26657' },
    },
    sync_info: {
      ...point('latest', latest(spoken)),
      ...point('earliest', earliest(spoken)),
      catching_up: false,
    },
    validator_info: {
      address: '2E1CA93285D58942BA2E22FD893CCAC7C924C3A1',
      pub_key: { type: 'tendermint/PubKeyEd25519', value: 'DsS4h53SOQ7NIx2VGT8lvnHOoVOFqIPc+VE+uBPYBXw=' },
      voting_power: '1000',
    },
  })
}

const results: Method = (spoken, params) => {
  const asked = heightIn(spoken, params)
  const [a, b] = spoken.faults.swappedResults ?? []
  const height = asked === a && b !== undefined ? b : asked === b && a !== undefined ? a : asked
  const found = spoken.chain.results(height)
  if (found === undefined) throw internal(`could not find results for height #${height}`)
  return height === asked ? found : found.replace(`{"height":"${height}"`, `{"height":"${asked}"`)
}

const metaOf = (spoken: ReplayContext, height: number): string | undefined => {
  const text = spoken.chain.block(height)
  if (text === undefined) return undefined
  const { block_id, block } = JSON.parse(text) as BlockJson
  return JSON.stringify({
    block_id,
    block_size: String(text.length),
    header: block.header,
    num_txs: String(block.data.txs.length),
  })
}

const blockchain: Method = (spoken, params) => {
  const high = Math.min(integer(params, 'maxHeight') || latest(spoken), latest(spoken))
  const low = Math.max(integer(params, 'minHeight') || 1, earliest(spoken), high - 19)
  const metas = Array.from({ length: Math.max(high - low + 1, 0) }, (_, at) => metaOf(spoken, high - at))
  const known = metas.filter((meta) => meta !== undefined)
  return `{"last_height":"${latest(spoken)}","block_metas":[${known.join(',')}]}`
}

const page = <T>(items: readonly T[], params: Params): readonly T[] => {
  const size = Math.min(integer(params, 'per_page') ?? 30, 100)
  const at = (integer(params, 'page') ?? 1) - 1
  if (at > 0 && at * size >= items.length) throw internal(`page should be within range, given ${at + 1}`)
  return items.slice(at * size, (at + 1) * size)
}

const blockSearch: Method = (spoken, params) => {
  if (!string(params, 'query').includes('block_gas.amount'))
    throw internal('this server searches by block_gas alone')
  const { chain } = spoken
  const within = /block\.height\s*(>=|<=|>|<)\s*(\d+)/g
  let heights = chain.busyHeights().filter((height) => height >= earliest(spoken) && height <= latest(spoken))
  for (const [, sign, bound] of string(params, 'query').matchAll(within))
    heights = heights.filter((height) => compare(height, sign, Number(bound)))
  if (params.order_by === 'desc') heights = heights.toReversed()
  const found = page(heights, params).map((height) => chain.block(height) ?? noBlock)
  return `{"blocks":[${found.join(',')}],"total_count":"${heights.length}"}`
}

const compare = (height: number, sign: string | undefined, bound: number): boolean => {
  if (sign === '>=') return height >= bound
  if (sign === '<=') return height <= bound
  return sign === '>' ? height > bound : height < bound
}

const transactionJson = (chain: ReplayChain, height: number, index: number): string => {
  const tx = parsedBlock(chain, height)?.block.data.txs[index] ?? ''
  const { txs_results } = JSON.parse(chain.results(height) ?? '{}') as { txs_results?: unknown[] }
  const hash = upper(sha256(Buffer.from(tx, 'base64')))
  return `{"hash":"${hash}","height":"${height}","index":${index},"tx_result":${JSON.stringify(txs_results?.[index] ?? null)},"tx":"${tx}"}`
}

const needIndex = ({ chain }: ReplayContext): void => {
  if (!chain.indexed) throw internal('transaction indexing is disabled')
}

const tx: Method = (spoken, params) => {
  needIndex(spoken)
  const hash = upper(Buffer.from(string(params, 'hash'), 'base64'))
  const [place] = spoken.chain.find({ nativeHash: hash })
  if (place === undefined) throw internal(`tx (${hash}) not found`)
  return transactionJson(spoken.chain, place.height, place.index)
}

const searchOf = (query: string): TransactionSearch => {
  const native = /tx\.hash\s*=\s*'([0-9A-Fa-f]+)'/.exec(query)?.[1]
  const ethereum = /ethereumTxHash\s*=\s*'(0x[0-9a-fA-F]+)'/.exec(query)?.[1]
  const height = /tx\.height\s*=\s*(\d+)/.exec(query)?.[1]
  const from = /tx\.height\s*>=\s*(\d+)/.exec(query)?.[1]
  const to = /tx\.height\s*<=\s*(\d+)/.exec(query)?.[1]
  return {
    ...(native === undefined ? {} : { nativeHash: native.toUpperCase() }),
    ...(ethereum === undefined ? {} : { ethereumHash: ethereum.toLowerCase() }),
    ...(height === undefined ? {} : { height: Number(height) }),
    ...(from === undefined ? {} : { from: Number(from) }),
    ...(to === undefined ? {} : { to: Number(to) }),
  }
}

const txSearch: Method = (spoken, params) => {
  needIndex(spoken)
  const places = spoken.chain.find(searchOf(string(params, 'query')))
  const found = page(places, params).map(({ height, index }) => transactionJson(spoken.chain, height, index))
  return `{"txs":[${found.join(',')}],"total_count":"${places.length}"}`
}

const unconfirmed: Method = ({ chain }, params) => {
  const all = chain.unconfirmed()
  const shown = all.slice(0, Math.min(integer(params, 'limit') ?? 30, 100))
  const bytes = all.reduce((sum, native) => sum + native.length, 0)
  const list = shown.length === 0 ? 'null' : JSON.stringify(shown.map(base64))
  return `{"n_txs":"${shown.length}","total":"${all.length}","total_bytes":"${bytes}","txs":${list}}`
}

const broadcast: Method = ({ chain }, params) => {
  const native = Buffer.from(string(params, 'tx'), 'base64')
  const { code, log, codespace } = chain.submit(native)
  return JSON.stringify({ code, data: '', log, codespace, hash: upper(sha256(native)) })
}

/** A module's answer, with the faults of heights. */
export const askModule = (
  { chain, faults }: ReplayContext,
  path: string,
  ask: (height: number) => QueryAnswer,
  asked: number,
) => {
  const height = asked === 0 ? chain.head : asked
  if (height < (faults.prunedStateBelow ?? 0)) throw prunedState(height, chain.head)
  if (height < (faults.emptyStateBelow ?? 0))
    return { height, answer: { code: 0, log: '', value: emptyAnswer(path) } }
  return { height, answer: ask(height) }
}

/** What a module says where its store is empty: parameters without a coin, an account without anything. */
const emptyAnswer = (path: string): Uint8Array => {
  if (path.endsWith('/ValidatorAccount')) throw new QueryError(22, 'validator not found: key not found')
  if (path.endsWith('/Params')) return nested(1, text(2, '1'))
  return path.endsWith('/Account') ? text(1, '0') : new Uint8Array(0)
}

const abciQuery: Method = (spoken, params) => {
  const path = string(params, 'path')
  const data = params.data === undefined ? '' : string(params, 'data')
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(data)) throw invalid('encoding/hex: invalid byte')
  const request = Buffer.from(data, 'hex')
  const ask = (height: number): QueryAnswer =>
    params.prove === true
      ? spoken.chain.prove(path, request, height)
      : spoken.chain.query(path, request, height)
  const respond = (code: number, log: string, rest: string): string =>
    `{"response":{"code":${code},"log":${JSON.stringify(log)},"info":"","index":"0",${rest},"codespace":"${code === 0 ? '' : 'sdk'}"}}`
  try {
    const { height, answer } = askModule(spoken, path, ask, integer(params, 'height') ?? 0)
    const value = answer.value.length === 0 ? 'null' : `"${base64(answer.value)}"`
    const key = answer.proof === undefined ? 'null' : `"${base64(request)}"`
    return respond(
      answer.code,
      answer.log,
      `"key":${key},"value":${value},"proofOps":${answer.proof ?? 'null'},"height":"${height}"`,
    )
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    return respond(error.code, error.message, '"key":null,"value":null,"proofOps":null,"height":"0"')
  }
}

const methods: Readonly<Record<string, Method>> = {
  health: () => '{}',
  status,
  abci_info: (spoken) =>
    `{"response":{"data":"replay","last_block_height":"${latest(spoken)}","last_block_app_hash":"${base64(new Uint8Array(32))}"}}`,
  net_info: () => '{"listening":true,"listeners":["Listener(@)"],"n_peers":"0","peers":[]}',
  validators: (spoken, params) => spoken.chain.validators(heightIn(spoken, params)),
  commit: (spoken, params) => {
    const found = spoken.chain.commit(heightIn(spoken, params))
    if (found === undefined) throw new RpcError(-32603, 'Internal error', 'no commit is known')
    return found
  },
  consensus_params: (spoken, params) => spoken.chain.consensusParams(heightIn(spoken, params)),
  block: (spoken, params) => spoken.chain.block(heightIn(spoken, params)) ?? noBlock,
  block_by_hash: (spoken, params) => {
    const height = spoken.chain.heightOf(upper(Buffer.from(string(params, 'hash'), 'base64')))
    return (height === undefined ? undefined : spoken.chain.block(height)) ?? noBlock
  },
  header: (spoken, params) =>
    `{"header":${JSON.stringify(parsedBlock(spoken.chain, heightIn(spoken, params))?.block.header ?? null)}}`,
  block_results: results,
  blockchain,
  block_search: blockSearch,
  tx,
  tx_search: txSearch,
  unconfirmed_txs: unconfirmed,
  num_unconfirmed_txs: (spoken) => unconfirmed(spoken, { limit: '1' }),
  broadcast_tx_sync: broadcast,
  abci_query: abciQuery,
}

/** Throws an `RpcFault`. */
export const callMethod = (spoken: ReplayContext, method: string, params: Params): string => {
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (found === undefined) throw new RpcError(-32601, 'Method not found')
  return found(spoken, params)
}
