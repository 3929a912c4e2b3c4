import { createHash } from 'node:crypto'
import type { Logger } from '../../base/log.ts'
import type {
  PeerAnswer,
  PeerCall,
  PeerFault,
  PeerRequest,
  ReplicaPeers,
  SignedAnswer,
} from '../../chain/port/replicas.ts'
import { Peer, PeerAwayError, PeerRefusedError } from './peer.ts'
import { AnsweredCalls, findFault, ReplicaInstance, signAnswer, signCall } from './peerCall.ts'

export interface ReplicaSettings {
  /** The number of this replica; undefined if it is the only one. */
  readonly replica: number | undefined
  /** The replicas, each as `number=URL`; this one may be among them. */
  readonly peers: readonly string[]
  /** The secret that all replicas share. */
  readonly peerToken: string | undefined
}

interface ReplicasOptions {
  readonly self: number
  /** The URLs of the replicas by their numbers. */
  readonly peers: ReadonlyMap<number, string>
  readonly token: string
  /** The time after which the filters of a replica that does not answer have expired. */
  readonly goneAfterMs: number
  /** Returns blocks of the store, from a height or from the oldest on. */
  readonly exportBlocks: (from: number | undefined) => unknown
  readonly log: Pick<Logger, 'warn' | 'info'>
  readonly now?: () => number
}

const score = (replica: number, key: Uint8Array): bigint => {
  const number = Buffer.alloc(2)
  number.writeUInt16BE(replica)
  return createHash('sha256').update(number).update(key).digest().readBigUInt64BE()
}

/** The replicas of one gateway that stand behind a balancer, as one of them sees them. */
export class Replicas implements ReplicaPeers {
  readonly self: number
  readonly exportBlocks: ReplicasOptions['exportBlocks']
  readonly #token: string
  readonly #goneAfterMs: number
  readonly #peers: ReadonlyMap<number, Peer>
  readonly #now: () => number
  readonly #log: ReplicasOptions['log']
  readonly #answered = new AnsweredCalls()
  readonly #instance: ReplicaInstance
  /** The peers that refuse, of which the log tells. */
  readonly #refusing = new Set<number>()

  constructor({ self, peers, token, goneAfterMs, exportBlocks, log, now = Date.now }: ReplicasOptions) {
    this.exportBlocks = exportBlocks
    this.self = self
    this.#token = token
    this.#goneAfterMs = goneAfterMs
    this.#now = now
    this.#instance = new ReplicaInstance(now())
    this.#log = log
    const others = [...peers].filter(([replica]) => replica !== self)
    this.#peers = new Map(others.map(([replica, url]) => [replica, new Peer({ replica, url, token, now })]))
  }

  /** Returns whether another replica has this number. */
  has(replica: number): boolean {
    return this.#peers.has(replica)
  }

  /** Returns whether a replica has been away for so long that its filters have expired. */
  isGone(replica: number): boolean {
    return (this.#peers.get(replica)?.awayMs ?? 0) > this.#goneAfterMs
  }

  /** For how long each of the others has not answered. */
  stats(): readonly { readonly replica: number; readonly awayMs: number }[] {
    return [...this.#peers.values()].map(({ replica, awayMs }) => ({ replica, awayMs }))
  }

  /** Asks a replica. Throws `PeerAwayError` if it does not answer, or refuses to. */
  async ask(
    replica: number,
    method: string,
    params: readonly unknown[],
    request: PeerRequest,
  ): Promise<PeerAnswer> {
    const peer = this.#peers.get(replica)
    if (peer === undefined) throw new PeerAwayError(`there is no replica ${replica}`)
    const call = JSON.stringify([method, params])
    const unsigned = { from: this.self, to: replica, time: this.#now(), call }
    try {
      const answer = await peer.call(signCall(this.#token, unsigned), request)
      if (this.#refusing.delete(replica)) this.#log.info({ replica }, 'another replica answers again')
      return answer
    } catch (error) {
      if (error instanceof PeerRefusedError && !this.#refusing.has(replica)) {
        this.#refusing.add(replica)
        this.#log.warn({ replica, reason: error.message }, 'another replica refuses what it is asked')
      }
      throw error
    }
  }

  /** Asks all others at once. Returns the results of those that have one. */
  async askAll(
    method: string,
    params: readonly unknown[],
    request: PeerRequest,
  ): Promise<readonly unknown[]> {
    const answers = await Promise.all(
      [...this.#peers.keys()].map((replica) =>
        this.ask(replica, method, params, request).catch((): PeerAnswer => ({ result: undefined })),
      ),
    )
    return answers.flatMap((answer) =>
      answer.error === undefined && answer.result !== undefined ? [answer.result] : [],
    )
  }

  /**
   * Returns the replicas in the order in which they are responsible for a key, such as a sender. Each replica has the
   * same order, and one that leaves changes nothing for the keys of others.
   */
  ranking(key: Uint8Array): readonly number[] {
    return [this.self, ...this.#peers.keys()]
      .map((replica) => ({ replica, score: score(replica, key) }))
      .sort((one, other) => (one.score < other.score ? 1 : -1))
      .map(({ replica }) => replica)
  }

  /** Returns what is wrong with a call of a peer; undefined if nothing is. Each call is taken once. */
  findFault(call: PeerCall): PeerFault | undefined {
    const reason = findFault(this.#token, call, this.self, this.#now())
    if (reason !== undefined) return { reason }
    if (this.#instance.mayBeRepeated(call))
      return { reason: 'this replica has just started: make the call for it', instance: this.#instance.id }
    return this.#answered.add(call, this.#now()) ? undefined : { reason: 'it was answered before' }
  }

  signAnswer(call: PeerCall, answer: PeerAnswer): SignedAnswer {
    return signAnswer(this.#token, call, answer)
  }
}

/** Returns the numbers and URLs of replicas. */
const parsePeers = (peers: readonly string[]): ReadonlyMap<number, string> =>
  new Map(
    peers.map((peer) => {
      const at = peer.indexOf('=')
      return [Number(peer.slice(0, at)), peer.slice(at + 1)]
    }),
  )

/** Returns the replicas of the settings; undefined if this gateway is alone. */
export const createReplicas = (
  { replica, peers, peerToken }: ReplicaSettings,
  parts: Pick<ReplicasOptions, 'goneAfterMs' | 'exportBlocks' | 'log'>,
): Replicas | undefined =>
  replica === undefined || peerToken === undefined
    ? undefined
    : new Replicas({ self: replica, peers: parsePeers(peers), token: peerToken, ...parts })
