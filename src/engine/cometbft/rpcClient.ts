import { Agent, request } from 'node:http'

/** Thrown if the engine responds with an error. */
export class EngineRpcError extends Error {
  override readonly name = 'EngineRpcError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export interface EngineStatus {
  readonly node_info: {
    readonly id: string
    readonly network: string
    readonly version: string
    readonly moniker: string
    readonly listen_addr: string
  }
  readonly sync_info: { readonly latest_block_height: string; readonly catching_up: boolean }
  readonly validator_info?: { readonly address?: string }
}

export interface EnginePeer {
  readonly node_info: EngineStatus['node_info']
  readonly is_outbound: boolean
  readonly remote_ip: string
}

export interface BroadcastResult {
  readonly code: number
  readonly log: string
  readonly hash: string
}

export interface EngineValidator {
  readonly address: string
  readonly pub_key: { readonly type: string; readonly value: string }
  readonly voting_power: string
}

export interface EngineCommit {
  /** Whether the votes are those in the next block. */
  readonly canonical: boolean
  readonly signed_header: {
    readonly header: { readonly proposer_address: string }
    readonly commit: {
      readonly round: number
      readonly signatures: readonly { readonly validator_address: string; readonly timestamp: string }[]
    }
  }
}

/** The part of `dump_consensus_state` that tells where consensus is. */
export interface EngineConsensusState {
  readonly round_state: { readonly height: string; readonly step: number }
  readonly peers: readonly { readonly peer_state: { readonly round_state: { readonly height: string } } }[]
}

type Reply<T> = {
  /** Null, or a number below zero, if the engine does not know what it answers. */
  readonly id: number | null
  readonly result?: T
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string }
}

const defaultTimeoutMs = 10_000
const maxReplyBytes = 64 * 1024 * 1024

/** A client of CometBFT's JSON-RPC, with the methods that a node needs. */
export class EngineRpcClient {
  readonly #url: URL
  readonly #timeoutMs: number
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 })

  constructor(url: string, timeoutMs: number = defaultTimeoutMs) {
    this.#url = new URL(url)
    this.#timeoutMs = timeoutMs
  }

  get url(): string {
    return this.#url.origin
  }

  status = (): Promise<EngineStatus> => this.#call('status', {})

  peers = async (): Promise<readonly EnginePeer[]> =>
    (await this.#call<{ readonly peers: readonly EnginePeer[] }>('net_info', {})).peers

  validators = async (height?: number): Promise<readonly EngineValidator[]> => {
    const found: EngineValidator[] = []
    for (let page = 1; ; page++) {
      const { validators, total } = await this.#call<{
        readonly validators: readonly EngineValidator[]
        readonly total: string
      }>('validators', {
        page: `${page}`,
        per_page: '100',
        ...(height === undefined ? {} : { height: `${height}` }),
      })
      found.push(...validators)
      if (validators.length === 0 || found.length >= Number(total)) return found
    }
  }

  /**
   * Returns the proposer of a block and the round in which it was decided; undefined if the engine does not have the
   * block (any more).
   */
  commit = async (height: number): Promise<EngineCommit | undefined> => {
    try {
      return await this.#call<EngineCommit>('commit', { height: `${height}` })
    } catch (error) {
      if (error instanceof EngineRpcError) return undefined
      throw error
    }
  }

  consensusState = (): Promise<EngineConsensusState> => this.#call('dump_consensus_state', {})

  /**
   * Broadcasts transactions. Returns for each the result of the engine's check, or the error that prevented it. Throws
   * if the engine does not take the request as a whole.
   */
  broadcast = async (transactions: readonly Uint8Array[]): Promise<readonly (BroadcastResult | Error)[]> => {
    const calls = transactions.map((bytes, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'broadcast_tx_sync',
      params: { tx: Buffer.from(bytes).toString('base64') },
    }))
    const answer = (await this.#post(calls)) as readonly Reply<BroadcastResult>[] | Reply<BroadcastResult>
    // CometBFT answers a batch of one with an object, and so it does a request that it refuses.
    const replies = Array.isArray(answer) ? answer : [answer]
    const [first] = replies
    if (first?.error !== undefined && !((first.id ?? -1) >= 0)) throw toError(first.error)
    const byId = new Map(replies.map((reply) => [reply.id, reply]))
    return calls.map(({ id }) => {
      const reply = byId.get(id)
      return reply === undefined ? new Error('the engine gave no answer') : resultOf(reply)
    })
  }

  /** Returns the unchanged response. */
  block = (height: number): Promise<unknown> => this.#call('block', { height: `${height}` })

  blockResults = (height: number): Promise<unknown> => this.#call('block_results', { height: `${height}` })

  /**
   * Returns the location of a transaction; undefined if no block contains it, or if the engine has no transaction
   * index.
   */
  locate = async (hash: Uint8Array): Promise<{ number: number; index: number } | undefined> => {
    try {
      const { height, index } = await this.#call<{ readonly height: string; readonly index: number }>('tx', {
        hash: Buffer.from(hash).toString('base64'),
      })
      return { number: Number(height), index }
    } catch (error) {
      if (error instanceof EngineRpcError && /not found|indexing is disabled/.test(error.message))
        return undefined
      throw error
    }
  }

  /** Connects to peers; needs `rpc.unsafe` in the engine's configuration. */
  dialPeers = async (peers: readonly string[], isPersistent: boolean): Promise<void> => {
    await this.#call('dial_peers', { peers, persistent: isPersistent })
  }

  close(): void {
    this.#agent.destroy()
  }

  async #call<T>(method: string, params: object): Promise<T> {
    const reply = (await this.#post({ jsonrpc: '2.0', id: 0, method, params })) as Reply<T>
    const result = resultOf(reply)
    if (result instanceof Error) throw result
    return result
  }

  #post(body: object): Promise<unknown> {
    const timeoutMs = this.#timeoutMs
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#url,
        { method: 'POST', agent: this.#agent, headers: { 'content-type': 'application/json' } },
        (reply) => {
          const pieces: Buffer[] = []
          let length = 0
          reply.on('data', (piece: Buffer) => {
            length += piece.length
            if (length > maxReplyBytes) sent.destroy(new Error('the answer of the engine is too large'))
            else pieces.push(piece)
          })
          reply.on('error', reject)
          reply.on('end', () => {
            try {
              resolve(JSON.parse(Buffer.concat(pieces).toString('utf8')))
            } catch {
              reject(new Error(`the engine answered with status ${reply.statusCode} and no JSON`))
            }
          })
        },
      )
      sent.setTimeout(timeoutMs, () =>
        sent.destroy(
          Object.assign(new Error(`the engine did not answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' }),
        ),
      )
      sent.on('error', reject)
      sent.end(JSON.stringify(body))
    })
  }
}

const toError = ({ code, message, data }: NonNullable<Reply<unknown>['error']>): EngineRpcError =>
  new EngineRpcError(code, data ?? message)

const resultOf = <T>({ result, error }: Reply<T>): T | Error => {
  if (error !== undefined) return toError(error)
  return result === undefined ? new Error('the answer of the engine has no result') : result
}
