import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { sleep } from '../../base/async/sleep.ts'
import type { Logger } from '../../base/logging/log.ts'
import type {
  PeerAnswer,
  PeerCall,
  PeerFault,
  PeerRequest,
  ReplicaPeers,
  SignedAnswer,
} from '../../chain/port/replicas.ts'
import { awayAfterMs, Peer, PeerAwayError, PeerRefusedError } from './peer.ts'
import { AnsweredCalls, findFault, ReplicaInstance, signAnswer } from './peerCall.ts'
import { ReplicaTroubles } from './replicaTroubles.ts'

export interface ReplicaSettings {
  /** The number of this replica; undefined if it is the only one. */
  readonly replica: number | undefined
  /** The replicas, this one among them. */
  readonly peers: readonly { readonly replica: number; readonly url: string }[]
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

/** How often replicas look at each other, so that one that is lost or set wrongly is known before a client needs it. */
const lookEveryMs = 5_000

/** The replicas of one gateway that stand behind a balancer, as one of them sees them. */
export class Replicas implements ReplicaPeers {
  readonly self: number
  readonly exportBlocks: ReplicasOptions['exportBlocks']
  readonly #token: string
  readonly #goneAfterMs: number
  readonly #peers: ReadonlyMap<number, Peer>
  /** This replica as the others find it; undefined if its number is not in the list. */
  readonly #own: Peer | undefined
  readonly #now: () => number
  readonly #answered = new AnsweredCalls()
  readonly #instance: ReplicaInstance
  readonly #troubles: ReplicaTroubles
  readonly #ending = new AbortController()

  constructor({ self, peers, token, goneAfterMs, exportBlocks, log, now = Date.now }: ReplicasOptions) {
    this.exportBlocks = exportBlocks
    this.self = self
    this.#token = token
    this.#goneAfterMs = goneAfterMs
    this.#now = now
    this.#instance = new ReplicaInstance(now())
    this.#troubles = new ReplicaTroubles(log, now)
    // Each look at a replica listens to it. Calls for clients end with their own signals, or with the connections.
    setMaxListeners(0, this.#ending.signal)
    const all = new Map(
      [...peers].map(([replica, url]) => [replica, new Peer({ self, replica, url, token, now })]),
    )
    this.#own = all.get(self)
    this.#peers = new Map([...all].filter(([replica]) => replica !== self))
    if (peers.size > 0 && this.#own === undefined)
      log.warn(
        { replica: self },
        'gateway.peers has no entry of this replica: give all replicas the same list, else the others do not find its filters',
      )
  }

  /** The name of this process, by which it finds out whether another one has its number. */
  get instance(): string {
    return this.#instance.id
  }

  /** Looks at the replicas every few seconds until this is closed. */
  watch(): void {
    const run = async (): Promise<void> => {
      const { signal } = this.#ending
      for (;;) {
        // Replicas that were started together do not ask all at once.
        await sleep(lookEveryMs * (0.75 + Math.random() / 2), signal)
        if (signal.aborted) return
        await this.look()
      }
    }
    void run() // a look does not fail
  }

  close(): void {
    this.#ending.abort()
    for (const peer of [...this.#peers.values(), this.#own]) peer?.close()
  }

  /** Asks each replica of the list for its name, this one too. Returns what is wrong with them, by their numbers. */
  async look(): Promise<ReadonlyMap<number, string>> {
    const request = { timeoutMs: awayAfterMs, signal: this.#ending.signal }
    const looks = [...this.#peers.keys()].map(async (replica) => {
      try {
        await this.ask(replica, 'replica_instance', [], request)
      } catch (error) {
        if (error instanceof PeerRefusedError || request.signal.aborted) return
        this.#troubles.set(replica, 'away', (error as Error).message)
      }
    })
    await Promise.all([...looks, this.#own && this.#lookAtSelf(this.#own, request)])
    return this.#troubles.reasons()
  }

  /** Finds out where the own URL leads. It may be one by which this machine cannot reach itself. */
  async #lookAtSelf(own: Peer, request: PeerRequest): Promise<void> {
    const { self } = this
    try {
      const answer = await own.call('replica_instance', [], request)
      if (answer.error !== undefined || answer.result === this.instance) this.#troubles.clear(self)
      else this.#troubles.set(self, 'twin', `another process answers as replica ${self} at its URL`)
    } catch (error) {
      if (error instanceof PeerRefusedError)
        this.#troubles.set(self, error.isLasting ? 'refusing itself' : 'failing itself', error.message)
      else if (!request.signal.aborted) this.#troubles.clear(self)
    }
  }

  /** Returns whether another replica has this number. */
  has(replica: number): boolean {
    return this.#peers.has(replica)
  }

  /** Returns whether a replica has been away for so long that its filters have expired. */
  isGone(replica: number): boolean {
    return (this.#peers.get(replica)?.awayMs ?? 0) > this.#goneAfterMs
  }

  /** Returns whether a replica is there and lets this one ask nothing. */
  refuses(replica: number): boolean {
    return this.#troubles.isRefusing(replica)
  }

  /** For how long each could not be asked, or this one is not what is at its own URL. */
  stats(): readonly { readonly replica: number; readonly awayMs: number }[] {
    const own = this.#own === undefined ? [] : [this.self]
    return [...own, ...this.#peers.keys()].map((replica) => ({
      replica,
      awayMs: this.#troubles.durationMs(replica),
    }))
  }

  /** Returns what an operator has to mend; undefined if all replicas can be asked. */
  findProblem(): string | undefined {
    return this.#troubles.describe()
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
    try {
      const answer = await peer.call(method, params, request)
      this.#troubles.clear(replica)
      return answer
    } catch (error) {
      if (error instanceof PeerRefusedError)
        this.#troubles.set(replica, error.isLasting ? 'refusing' : 'failing', error.message)
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

/** Returns the replicas of the settings; undefined if this gateway is alone. */
export const createReplicas = (
  { replica, peers, peerToken }: ReplicaSettings,
  parts: Pick<ReplicasOptions, 'goneAfterMs' | 'exportBlocks' | 'log'>,
): Replicas | undefined =>
  replica === undefined || peerToken === undefined
    ? undefined
    : new Replicas({
        self: replica,
        peers: new Map(peers.map(({ replica: number, url }) => [number, url])),
        token: peerToken,
        ...parts,
      })
