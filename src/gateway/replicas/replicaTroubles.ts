import type { Logger } from '../../base/logging/log.ts'

const kinds = {
  away: { logged: 'another replica does not answer', shown: 'does not answer this one' },
  failing: { logged: 'another replica fails at what it is asked', shown: 'fails at what this one asks' },
  refusing: { logged: 'another replica refuses what it is asked', shown: 'refuses what this one asks' },
  'failing itself': {
    logged: 'what is at the URL of this replica fails at what it is asked',
    shown: 'fails at what it asks at its own URL',
  },
  'refusing itself': {
    logged: 'what is at the URL of this replica refuses what it is asked',
    shown: 'is refused at its own URL',
  },
  twin: {
    logged: 'the number of this replica leads to another process: each needs its own gateway.replica',
    shown: 'is the number of this process and of another one',
  },
} as const

type TroubleKind = keyof typeof kinds

interface Trouble {
  readonly kind: TroubleKind
  readonly since: number
  readonly reason: string
}

/** What is wrong with the replicas, as far as this one has seen. The log tells of each change once. */
export class ReplicaTroubles {
  readonly #log: Pick<Logger, 'warn' | 'info'>
  readonly #now: () => number
  readonly #troubles = new Map<number, Trouble>()

  constructor(log: Pick<Logger, 'warn' | 'info'>, now: () => number) {
    this.#log = log
    this.#now = now
  }

  /** Returns for how long something has been wrong, in milliseconds; 0 if nothing is. */
  durationMs(replica: number): number {
    const trouble = this.#troubles.get(replica)
    // What has just been found is not nothing.
    return trouble === undefined ? 0 : Math.max(1, this.#now() - trouble.since)
  }

  isRefusing(replica: number): boolean {
    return this.#troubles.get(replica)?.kind === 'refusing'
  }

  set(replica: number, kind: TroubleKind, reason: string): void {
    const before = this.#troubles.get(replica)
    this.#troubles.set(replica, { kind, reason, since: before?.since ?? this.#now() })
    // Why one does not answer may change each time: that it does not is told once.
    const isKnown = before?.kind === kind && (kind === 'away' || before.reason === reason)
    if (!isKnown) this.#log.warn({ replica, reason }, kinds[kind].logged)
  }

  clear(replica: number): void {
    if (this.#troubles.delete(replica)) this.#log.info({ replica }, 'the replica can be asked again')
  }

  /** Returns what is wrong in one line for everybody; undefined if nothing is. The log has the reasons. */
  describe(): string | undefined {
    if (this.#troubles.size === 0) return undefined
    const parts = [...this.#troubles].map(([replica, { kind }]) => `replica ${replica} ${kinds[kind].shown}`)
    return `${parts.join(', ')}: the log says why`
  }

  /** Returns the reasons by the number of the replica. */
  reasons(): ReadonlyMap<number, string> {
    return new Map([...this.#troubles].map(([replica, { reason }]) => [replica, reason]))
  }
}
