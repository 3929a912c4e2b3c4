import { CometHttpClient, type StreamOptions } from '../../comet/client/httpClient.ts'
import { parseCommitReply, type SignedHeader } from '../../comet/data/commit.ts'
import { parseObject } from '../../comet/data/fields.ts'
import {
  type BroadcastResponse,
  type ConsensusState,
  type NodePeer,
  type NodeStatus,
  type NodeValidator,
  parseBroadcast,
  parseConsensusState,
  parseNetInfo,
  parseStatus,
  parseTxLocation,
  parseValidators,
} from '../../comet/data/replies.ts'
import { CometError, type CometResponse, parseNodeUrl } from '../../comet/data/replyEnvelope.ts'

const maxSockets = 8
/** CometBFT's limit. */
const validatorsPerPage = 100
const maxReplyBytes = 64 * 1024 * 1024
/** How long the engine may say nothing. */
const defaultIdleMs = 10_000
/** How many times as long a whole reply may take. */
const wholeReply = 6

/** The calls of CometBFT's JSON-RPC that a node makes. An error of CometBFT is a `CometError`. */
export class EngineRpcClient {
  readonly url: string
  readonly #http: CometHttpClient
  readonly #options: StreamOptions

  constructor(url: string, idleMs: number = defaultIdleMs) {
    this.url = parseNodeUrl(url).origin
    this.#http = new CometHttpClient(url, { maxReplyBytes, maxSockets, isTrusted: true })
    this.#options = { idleMs, timeoutMs: wholeReply * idleMs }
  }

  status = async (): Promise<NodeStatus> => parseStatus(await this.#call('status', {}))

  peers = async (): Promise<readonly NodePeer[]> => parseNetInfo(await this.#call('net_info', {})).peers

  /**
   * Returns the header of a block with the votes for it; undefined if the engine does not have the block (any more).
   */
  commit = async (
    height: number,
  ): Promise<(SignedHeader & { readonly isCanonical: boolean }) | undefined> => {
    const reply = await this.#askHeight('commit', { height: `${height}` })
    return reply === undefined ? undefined : parseCommitReply(reply)
  }

  consensusState = async (): Promise<ConsensusState> =>
    parseConsensusState(await this.#call('dump_consensus_state', {}))

  /**
   * Broadcasts transactions. Returns for each the result of the engine's check, or the error that prevented it; undefined
   * if the engine did not answer for it. Throws if the engine does not take the request as a whole.
   */
  broadcast = async (
    transactions: readonly Uint8Array[],
  ): Promise<readonly (BroadcastResponse | Error | undefined)[]> => {
    const calls = transactions.map((bytes) => ({ tx: Buffer.from(bytes).toString('base64') }))
    return (await this.#http.batch('broadcast_tx_sync', calls, this.#options)).map(toOutcome)
  }

  /** Returns the unchanged response. */
  block = (height: number): Promise<unknown> => this.#call('block', { height: `${height}` })

  blockResults = (height: number): Promise<unknown> => this.#call('block_results', { height: `${height}` })

  /** Returns the unchanged header of a block with the votes for it; undefined if the engine does not have the block. */
  signedHeader = async (height: number): Promise<unknown> => {
    const reply = await this.#askHeight('commit', { height: `${height}` })
    return reply === undefined ? undefined : parseObject(reply, 'commit').signed_header
  }

  /** Returns all validators of a block; undefined if the engine does not have the block. */
  validators = async (height: number): Promise<readonly NodeValidator[] | undefined> => {
    const found: NodeValidator[] = []
    for (let page = 1; ; page++) {
      const params = { height: `${height}`, page: `${page}`, per_page: `${validatorsPerPage}` }
      const reply = await this.#askHeight('validators', params)
      if (reply === undefined) return undefined
      const { validators, total } = parseValidators(reply)
      found.push(...validators)
      if (validators.length === 0 || found.length >= total) return found
    }
  }

  /**
   * Returns the location of a transaction; undefined if no block contains it, or if the engine has no transaction
   * index.
   */
  locate = async (hash: Uint8Array): Promise<ReturnType<typeof parseTxLocation> | undefined> => {
    try {
      return parseTxLocation(await this.#call('tx', { hash: Buffer.from(hash).toString('base64') }))
    } catch (error) {
      if (error instanceof CometError && /not found|indexing is disabled/.test(error.message))
        return undefined
      throw error
    }
  }

  /** Connects to peers; needs `rpc.unsafe` in the engine's configuration. */
  dialPeers = async (peers: readonly string[], isPersistent: boolean): Promise<void> => {
    await this.#call('dial_peers', { peers, persistent: isPersistent })
  }

  close(): void {
    this.#http.close()
  }

  async #askHeight(method: string, params: object): Promise<unknown> {
    try {
      return await this.#call(method, params)
    } catch (error) {
      if (error instanceof CometError) return undefined
      throw error
    }
  }

  #call(method: string, params: object): Promise<unknown> {
    return this.#http.call(method, params, this.#options)
  }
}

const toOutcome = (reply: CometResponse | undefined): BroadcastResponse | Error | undefined => {
  if (reply === undefined) return undefined
  if (reply.error) return reply.error
  try {
    return parseBroadcast(reply.result)
  } catch (error) {
    return error as Error
  }
}
