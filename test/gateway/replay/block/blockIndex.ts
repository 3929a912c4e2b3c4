import { toHex } from '../../../../src/base/encoding/hex.ts'
import type { TransactionLocation } from '../chain.ts'
import type { BuiltBlock } from './buildBlock.ts'
import { sha256 } from './comet.ts'
import { upper } from './cometJson.ts'

/** Where blocks and transactions of a synthetic chain are. */
export class BlockIndex {
  readonly #heights = new Map<string, number>()
  readonly #places = new Map<string, TransactionLocation>()
  /** Heights of blocks that used gas, rising. */
  readonly busy: number[] = []

  add(block: BuiltBlock): void {
    const { height } = block.header
    this.#heights.set(upper(block.hash), height)
    block.natives.forEach((native, index) => {
      this.#places.set(upper(sha256(native)), { height, index })
    })
    block.executed.forEach(({ tx }, at) => {
      this.#places.set(toHex(tx.hash), { height, index: block.entryOf[at] as number }) // as long as `executed`
    })
    if (block.marketGas > 0n) this.busy.push(height)
  }

  heightOf(blockHash: string): number | undefined {
    return this.#heights.get(blockHash.toUpperCase())
  }

  /** By native hash in upper case, or by Ethereum hash. */
  placeOf(hash: string): TransactionLocation | undefined {
    return this.#places.get(hash)
  }
}
