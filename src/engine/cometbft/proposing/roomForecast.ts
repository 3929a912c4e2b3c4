import type { LikelyUse } from '../../../app/proposal/likelyRoom.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { transferGas } from '../../../chain/transaction/intrinsicGas.ts'
import type { PoolTransaction } from '../../../pool/types.ts'
import type { CommittedBlock } from '../../application.ts'
import { AskedGas } from '../../askedGas.ts'

/** The most heads for which a transaction that found no room is not tried again. */
const longestPause = 64

/** A transaction that a block had no room for. */
interface Attempt {
  readonly hash: Uint8Array
  /** The heads before the next attempt, twice as many each time. */
  readonly pause: number
  readonly dueAt: number
}

export interface RoomForecastDependencies {
  /** Returns whether an account of the head's state has code, which a transfer to it would run. */
  readonly hasCode: (address: Uint8Array) => boolean
  readonly pooled: (hash: Uint8Array) => PoolTransaction | undefined
}

/**
 * Tells a proposer what transactions are likely to use, and which of them may be tried. What a transfer uses is known. A
 * call is likely to use the same part of its gas limit as the calls of the last block. What found no room paid nothing for
 * its bytes, so it is tried again ever more seldom.
 */
export class RoomForecast implements LikelyUse<PoolTransaction> {
  readonly #dependencies: RoomForecastDependencies
  readonly #calls = new AskedGas()
  readonly #attempts = new Map<string, Attempt>()
  #heads = 0

  constructor(dependencies: RoomForecastDependencies) {
    this.#dependencies = dependencies
  }

  of({ transaction }: PoolTransaction): bigint {
    return this.#isTransfer(transaction) ? transferGas : this.#calls.likelyUse(transaction.gasLimit)
  }

  mayTry({ id }: Pick<PoolTransaction, 'id'>): boolean {
    const attempt = this.#attempts.get(id)
    return attempt === undefined || attempt.dueAt <= this.#heads
  }

  /** Called with each block before the pool drops what it included. */
  onCommitted({
    header,
    included,
    rejected,
  }: Pick<CommittedBlock, 'header' | 'included' | 'rejected'>): void {
    const { pooled } = this.#dependencies
    this.#heads++
    let asked = 0n
    let used = header.gasUsed
    for (const hash of included) {
      this.#attempts.delete(toHex(hash))
      const transaction = pooled(hash)?.transaction
      if (transaction === undefined) continue
      if (this.#isTransfer(transaction)) used -= transferGas
      else asked += transaction.gasLimit
    }
    this.#calls.note(asked, asked === 0n ? 0n : used)
    for (const { hash, reason } of rejected) if (reason === 'no room in the block') this.#postpone(hash)
    for (const [id, { hash }] of this.#attempts) if (pooled(hash) === undefined) this.#attempts.delete(id)
  }

  #postpone(hash: Uint8Array): void {
    const id = toHex(hash)
    const before = this.#attempts.get(id)
    const pause = before === undefined ? 1 : Math.min(longestPause, before.pause * 2)
    this.#attempts.set(id, { hash, pause, dueAt: this.#heads + pause })
  }

  /** Returns whether a transaction uses what every transfer does; an access list adds little. */
  #isTransfer({ to, data }: PoolTransaction['transaction']): boolean {
    return to !== undefined && data.length === 0 && !this.#dependencies.hasCode(to)
  }
}
