import type { LikelyUse } from '../../../app/proposal/likelyRoom.ts'
import { fromHex, toHex } from '../../../base/encoding/hex.ts'
import { transferGas } from '../../../chain/transaction/intrinsicGas.ts'
import type { PoolTransaction } from '../../../pool/types.ts'
import type { CommittedBlock } from '../../application.ts'
import { AskedGas } from '../../blocks/askedGas.ts'
import { HeadPauses } from '../headPauses.ts'

/** The most heads for which a transaction that found no room is not tried again. */
const longestPause = 64

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
  /** Until when what a block had no room for is not tried again. */
  readonly #pauses = new HeadPauses(1, longestPause)

  constructor(dependencies: RoomForecastDependencies) {
    this.#dependencies = dependencies
  }

  of({ transaction }: PoolTransaction): bigint {
    return this.#isTransfer(transaction) ? transferGas : this.#calls.likelyUse(transaction.gasLimit)
  }

  mayTry({ id }: Pick<PoolTransaction, 'id'>): boolean {
    return this.#pauses.isDue(id)
  }

  /** Called with each block before the pool drops what it included. */
  onCommitted({
    header,
    included,
    rejected,
  }: Pick<CommittedBlock, 'header' | 'included' | 'rejected'>): void {
    const { pooled } = this.#dependencies
    this.#pauses.onHead()
    let asked = 0n
    let used = header.gasUsed
    for (const hash of included) {
      this.#pauses.delete(toHex(hash))
      const transaction = pooled(hash)?.transaction
      if (transaction === undefined) continue
      if (this.#isTransfer(transaction)) used -= transferGas
      else asked += transaction.gasLimit
    }
    this.#calls.note(asked, asked === 0n ? 0n : used)
    for (const { hash, reason } of rejected)
      if (reason === 'no room in the block') this.#pauses.begin(toHex(hash))
    for (const id of this.#pauses.ids()) if (pooled(fromHex(id)) === undefined) this.#pauses.delete(id)
  }

  /** Returns whether a transaction uses what every transfer does; an access list adds little. */
  #isTransfer({ to, data }: PoolTransaction['transaction']): boolean {
    return to !== undefined && data.length === 0 && !this.#dependencies.hasCode(to)
  }
}
