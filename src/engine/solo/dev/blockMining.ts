import type { RecoveredTransaction } from '../../../app/packing.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import { refused } from '../../../chain/chainError.ts'
import type { Fork } from '../../../chain/config/forks.ts'
import { type DevTransaction, maxBlockTime } from '../../../chain/port/dev.ts'
import { decodeTransaction } from '../../../chain/transaction/decode.ts'
import { impersonatedSender } from '../../../chain/transaction/impersonation.ts'
import { recoverSender } from '../../../chain/transaction/signature.ts'
import { TransactionError } from '../../../chain/transaction/transaction.ts'
import type { EngineContext } from '../../engine.ts'
import type { BlockClock } from '../blockClock.ts'

/** Returns a transaction with its sender; throws a `ChainError` if it has none. */
const readCandidate = ({ raw, isImpersonated }: DevTransaction, fork: Fork): RecoveredTransaction => {
  const transaction = decode(raw)
  const sender = isImpersonated ? impersonatedSender(transaction) : recoverSender(transaction, fork)
  if (sender === undefined) throw refused('invalid sender')
  return { raw, hash: keccak256(raw), sender }
}

const decode = (raw: Uint8Array) => {
  try {
    return decodeTransaction(raw)
  } catch (error) {
    throw error instanceof TransactionError ? refused(error.message) : error
  }
}

interface BlockMiningDependencies extends Pick<EngineContext, 'producer' | 'pool' | 'poolHead' | 'head'> {
  readonly clock: BlockClock
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  /** Called after each block, or after the last of some that were made in one commit. */
  readonly onBlock: () => void
}

/** The empty blocks of one commit. */
const batchedBlocks = 256

/** Makes blocks that clients ask for, while no other block is made. */
export class BlockMining {
  readonly #dependencies: BlockMiningDependencies

  constructor(dependencies: BlockMiningDependencies) {
    this.#dependencies = dependencies
  }

  /** Makes blocks until the signal is aborted, with some seconds between them if an interval is given, or before all of them. */
  async mine(
    count: number,
    interval: number,
    signal: AbortSignal,
    spacing: 'all' | 'between',
  ): Promise<void> {
    const { producer, pool, onBlock } = this.#dependencies
    for (let made = 0; made < count && !signal.aborted; ) {
      // The base fee falls with each block, until what waits can pay it.
      const isEmpty = made > 0 && pool.counts.pending === 0
      if (isEmpty) {
        const some = Math.min(count - made, batchedBlocks)
        await this.#makeEmpty(some, interval)
        made += some
      } else {
        if (interval > 0 && (made > 0 || spacing === 'all')) this.#advance(interval)
        await producer.produceBlock()
        onBlock()
        made++
      }
    }
  }

  /** Returns the transactions of a block with their senders; throws a `ChainError` if one cannot be read. */
  readCandidates(contents: readonly DevTransaction[]): readonly RecoveredTransaction[] {
    const { fork } = this.#dependencies.poolHead()
    return contents.map((sent) => readCandidate(sent, fork))
  }

  /** Makes a block of these transactions alone. */
  async produceBlockOf(transactions: readonly RecoveredTransaction[]): Promise<void> {
    const { producer, onBlock } = this.#dependencies
    await producer.produceBlockOf(transactions)
    onBlock()
  }

  /** Makes empty blocks in one commit; what was set for one block alone is used up. */
  async #makeEmpty(count: number, interval: number): Promise<void> {
    const { producer, clock, now, onBlock } = this.#dependencies
    let time = this.#headTime
    const times = Array.from({ length: count }, () => {
      const isSpaced = interval > 0 && !clock.isSet
      time = isSpaced
        ? Math.min(Math.max(clock.now(now()), time) + interval, maxBlockTime)
        : clock.nextTime(time, now())
      return time
    })
    await producer.produceEmptyBlocks(times)
    if (interval > 0 && !clock.isSet) clock.setNow(time, now())
    onBlock()
  }

  /** Makes the next block later than now, or than the head if that is later, by some seconds; a time that was set counts more. */
  #advance(seconds: number): void {
    const { clock, now } = this.#dependencies
    if (clock.isSet) return
    clock.setNext(Math.max(clock.now(now()), this.#headTime) + seconds)
  }

  get #headTime(): number {
    return Number(this.#dependencies.head().header.timestamp)
  }
}
