import { setTimeout as sleep } from 'node:timers/promises'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { createRandom } from '../../support/random.ts'
import type { Cluster } from './cluster.ts'
import { type Counts, noCounts } from './counts.ts'
import { createHeadListener, createLogListener } from './listeners.ts'
import { Rotation } from './rotation.ts'
import { drawQuestion } from './truth.ts'
import { Watcher } from './watcher.ts'

const readers = 4
const senders = 3
const watchersOfEach = 3
const sendPauseMs = 200
const readPauseMs = 10

const pollers = 2
const pollPauseMs = 50

const inclusionRounds = 600

/** Readers, senders and subscribers behind a balancer that sends each request to another gateway. */
export class Load {
  readonly counts: Counts = { ...noCounts }
  /** Why reads and sends were refused or wrong, and how often. */
  readonly reasons = new Map<string, number>()
  readonly #cluster: Cluster
  readonly #rotation: Rotation
  readonly #accepted = new Set<string>()
  readonly #watchers: Watcher[] = []
  readonly #running: Promise<void>[] = []
  #isClosed = false

  constructor(cluster: Cluster, firstHeight: number) {
    this.#cluster = cluster
    this.#rotation = new Rotation(cluster.urls, {
      onAgain: (reason) => {
        this.counts.again++
        this.#note(reason)
      },
    })
    for (let at = 0; at < readers; at++) this.#running.push(this.#read(at, firstHeight))
    for (let at = 0; at < senders; at++) this.#running.push(this.#send(at))
    for (let at = 0; at < pollers; at++) this.#running.push(this.#poll())
    for (let at = 0; at < watchersOfEach; at++)
      this.#watchers.push(
        new Watcher(this.#rotation, createHeadListener(this.counts, firstHeight)),
        new Watcher(this.#rotation, createLogListener(this.counts, cluster.chain, firstHeight)),
      )
  }

  /** Counts what was acknowledged and is in no block after a while, and what was taken twice. */
  async audit(): Promise<void> {
    const missing = (): string[] =>
      [...this.#accepted].filter((hash) => this.#cluster.chain.find({ ethereumHash: hash }).length === 0)
    for (let round = 0; missing().length > 0 && round < inclusionRounds; round++) await sleep(100)
    this.counts.lost += missing().length
    for (const [hash, times] of this.#cluster.taken) if (times > 1) this.#noteDouble(hash)
    this.#accepted.clear()
    this.#cluster.taken.clear()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const watcher of this.#watchers) watcher.close()
    this.#rotation.close()
    await Promise.all(this.#running)
  }

  #note(reason: string): void {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1)
  }

  #noteDouble(hash: string): void {
    this.counts.doubled++
    this.#note(`taken twice: ${hash}`)
  }

  async #read(seed: number, firstHeight: number): Promise<void> {
    const random = createRandom(seed)
    const { chain } = this.#cluster
    let seen = firstHeight
    while (!this.#isClosed) {
      // Mostly the newest that this reader has seen, as readers do.
      const height = random.chance(0.5) ? seen : 1 + random.below(seen)
      const { method, params, isAnswer } = drawQuestion(chain, height, random)
      this.counts.reads++
      try {
        const answer = await this.#rotation.ask(method, params, seen)
        if (answer.error !== undefined) {
          this.counts.refused++
          this.#note(`refused: ${method} ${answer.error.code} ${answer.error.message}`)
        } else if (answer.height < seen || !isAnswer(answer.result)) {
          this.counts.wrong++
          this.#note(`wrong: ${method} of ${height} at ${answer.height}`)
        }
        seen = Math.max(seen, answer.height)
      } catch (error) {
        this.counts.refused++
        this.#note(`refused: ${method} ${(error as Error).message}`)
      }
      await sleep(readPauseMs)
    }
  }

  /** Polls a filter of blocks, each time at another gateway: every block has to come once. */
  async #poll(): Promise<void> {
    let id: string | undefined
    let last: number | undefined
    // A poll that got no answer may have been made all the same: what comes next may be after what it had.
    let isUnsure = false
    while (!this.#isClosed) {
      await sleep(pollPauseMs)
      const [method, params] = id === undefined ? ['eth_newBlockFilter', []] : ['eth_getFilterChanges', [id]]
      const answer = await this.#rotation
        .askOnce(method as string, params as unknown[])
        .catch(() => undefined)
      // Away for a moment: it is asked again.
      if (answer === undefined || answer.error?.code === -32_002) {
        isUnsure = true
        continue
      }
      if (answer.error !== undefined) {
        this.counts.gaps++
        this.#note(`filter: ${answer.error.message}`)
        id = undefined
        last = undefined
      } else if (id === undefined) id = answer.result as string
      else
        for (const hash of answer.result as string[]) {
          last = await this.#follow(hash, last, isUnsure)
          isUnsure = false
        }
    }
  }

  /** Returns the number of a block that a filter told of, and counts a gap if it is not the one after the last. */
  async #follow(hash: string, last: number | undefined, isUnsure: boolean): Promise<number | undefined> {
    for (;;) {
      const found = await this.#rotation.ask('eth_getBlockByHash', [hash, false]).catch(() => undefined)
      const number = (found?.result as { number?: string } | null | undefined)?.number
      if (number === undefined) {
        if (this.#isClosed) return last
        await sleep(pollPauseMs)
        continue
      }
      this.counts.notifications++
      if (last !== undefined && Number(number) !== last + 1) {
        const isExplained = isUnsure && Number(number) > last
        this.counts[isExplained ? 'unanswered' : 'gaps']++
        this.#note(
          `filter: block ${Number(number)} after ${last}${isExplained ? ', behind a poll without an answer' : ''}`,
        )
      }
      return Number(number)
    }
  }

  async #send(at: number): Promise<void> {
    const { chain } = this.#cluster
    const author = chain.authors[at]
    if (author === undefined) throw new Error('there are more senders than accounts')
    const account = privateKeyToAccount(toHex(author.key.secret) as `0x${string}`) // it begins so
    const to = toHex(chain.noise('contract').subarray(0, 20)) as `0x${string}` // it begins so
    for (let nonce = 0; !this.#isClosed; nonce++) {
      const data = `0x02${nonce.toString(16).padStart(64, '0')}` as const
      const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n }
      const chainId = Number(chain.traits.chainId)
      const raw = await account.signTransaction({ chainId, nonce, to, data, gas: 60_000n, ...fees })
      if (!(await this.#sendUntilTaken(raw))) return
      await sleep(sendPauseMs)
    }
  }

  /** Sends a transaction again until it is taken; returns false if there is no more time for it. */
  async #sendUntilTaken(raw: string): Promise<boolean> {
    const hash = keccak256(raw as `0x${string}`)
    for (;;) {
      this.counts.sends++
      const problem = await this.#rotation.ask('eth_sendRawTransaction', [raw]).then(
        ({ error }) => error?.message,
        (error: Error) => error.message,
      )
      // The balancer sent it again after a connection broke, and the first one had arrived.
      if (problem === undefined || /already known|nonce too low/.test(problem)) {
        this.#accepted.add(hash)
        return true
      }
      // It has to wait for another one, and cannot be kept: what a client is told to send again.
      if (!problem.includes('the database of the fleet is away')) this.counts.unsent++
      this.#note(`not sent: ${problem}`)
      if (this.#isClosed) return false
      await sleep(sendPauseMs)
    }
  }
}
