import { LRUCache } from 'lru-cache'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { ownBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'

/** Nodes of tries and codes by their hashes: what has a hash is what it is, whoever gave it. */
export class NodeStore {
  readonly #items: LRUCache<string, Uint8Array>

  constructor(maxBytes: number) {
    this.#items = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ length }) => length + 100 })
  }

  add(items: readonly Uint8Array[]): void {
    for (const item of items) this.#items.set(toHex(keccak256(item)), ownBytes(item))
  }

  get(hash: Uint8Array): Uint8Array | undefined {
    return this.#items.get(toHex(hash))
  }

  has(hash: string): boolean {
    return this.#items.has(hash)
  }
}
