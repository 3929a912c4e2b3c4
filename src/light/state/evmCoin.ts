import { LRUCache } from 'lru-cache'
import { decodeUtf8 } from '../../base/encoding/utf8.ts'
import { MissingStore, type StoreReader } from './judgement.ts'
import { ProofFields } from './proofFields.ts'

const paramsKey = Uint8Array.of(3)
const maxFields = 1_000
const maxHeights = 256

/**
 * The coin of the EVM at each height, as the parameters of its module name it. What a node said of it when the chain was
 * detected is not proven, and an upgrade may change it.
 */
export class EvmCoin {
  readonly #denoms = new LRUCache<number, string>({ max: maxHeights })

  /**
   * Returns the proven name of the coin; empty if the chain keeps its parameters elsewhere, undefined if a node says that
   * the module has no store.
   */
  async denomAt(height: number, read: StoreReader): Promise<string | undefined> {
    const known = this.#denoms.get(height)
    if (known !== undefined) return known
    try {
      const params = new ProofFields(await read('evm', paramsKey), maxFields)
      const denom = decodeUtf8(params.bytes(1))
      this.#denoms.set(height, denom)
      return denom
    } catch (error) {
      if (error instanceof MissingStore) return undefined
      throw error
    }
  }
}
