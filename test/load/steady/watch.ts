import { setTimeout as sleep } from 'node:timers/promises'
import { waitForReceipt } from '../../../bench/support/chain/receipts.ts'
import { call, connect } from '../../../bench/support/load/connection.ts'
import { percentile } from '../../../bench/support/load/percentile.ts'

const pollMs = 10
const receiptTimeoutMs = 120_000
/** Of those that are sent, so many a second are looked for: more would be a load of their own. */
const samplesPerSecond = 4

export interface Minute {
  readonly p50Ms: number
  readonly p99Ms: number
  /** Between the moments at which a new block was seen. */
  readonly intervalMs: number
  readonly longestIntervalMs: number
}

/** Looks at a node that is under load: how long a transaction takes to its receipt, and a block to the next. */
export class Watch {
  readonly #port: number
  #latencies: number[] = []
  #intervals: number[] = []
  #isOver = false
  #nextSampleAt = 0
  readonly #samples = new Set<Promise<void>>()
  readonly #heads: Promise<void>
  #failure: unknown

  constructor(port: number) {
    this.#port = port
    this.#heads = this.#followHead().catch((error) => {
      this.#failure = error
    })
  }

  /** Looks for the receipt of one that was taken, unless others were looked for just before. */
  sample(hash: string, sentAt: number): void {
    if (sentAt < this.#nextSampleAt) return
    this.#nextSampleAt = sentAt + 1000 / samplesPerSecond
    const found = this.#find(hash, sentAt)
      .catch((error) => {
        this.#failure = error
      })
      .finally(() => this.#samples.delete(found))
    this.#samples.add(found)
  }

  /** Returns what was seen since the last call. */
  take(): Minute {
    const [latencies, intervals] = [this.#latencies, this.#intervals].map((values) =>
      values.sort((a, b) => a - b),
    ) as [number[], number[]]
    this.#latencies = []
    this.#intervals = []
    return {
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      intervalMs: percentile(intervals, 0.5),
      longestIntervalMs: intervals.at(-1) ?? Number.NaN,
    }
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all([this.#heads, ...this.#samples])
    if (this.#failure !== undefined) throw this.#failure
  }

  async #find(hash: string, sentAt: number): Promise<void> {
    const connection = await connect(this.#port)
    try {
      await waitForReceipt(connection, hash, receiptTimeoutMs, pollMs)
      this.#latencies.push(performance.now() - sentAt)
    } finally {
      connection.close()
    }
  }

  async #followHead(): Promise<void> {
    const connection = await connect(this.#port)
    let [head, seenAt] = ['', performance.now()]
    while (!this.#isOver) {
      const next = await call<string>(connection, 'eth_blockNumber')
      const now = performance.now()
      if (next !== head) {
        if (head !== '') this.#intervals.push(now - seenAt)
        head = next
        seenAt = now
      }
      await sleep(pollMs)
    }
    connection.close()
  }
}
