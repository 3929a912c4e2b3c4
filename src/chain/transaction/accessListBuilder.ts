import { fromHex, toHex } from '../../base/encoding/hex.ts'
import type { AccessListEntry } from './transaction.ts'

/** Collects an access list: addresses as hex, each with its slots as hex. */
export class AccessListBuilder {
  readonly #slots = new Map<string, Set<string>>()

  /**
   * Creates a builder with the entries of a list, without those of `excluded` addresses, which are warm
   * anyway.
   */
  static from(list: readonly AccessListEntry[], excluded: ReadonlySet<string>): AccessListBuilder {
    const set = new AccessListBuilder()
    for (const { address, storageKeys } of list) {
      const text = toHex(address)
      if (excluded.has(text)) continue
      set.addAddress(text)
      for (const key of storageKeys) set.addSlot(text, toHex(key))
    }
    return set
  }

  addAddress(address: string): void {
    this.#entry(address)
  }

  addSlot(address: string, slot: string): void {
    this.#entry(address).add(slot)
  }

  /** Returns the list in the order of addresses and slots. */
  toList(): readonly AccessListEntry[] {
    return [...this.#slots]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([address, slots]) => ({
        address: fromHex(address),
        storageKeys: [...slots].sort().map((slot) => fromHex(slot)),
      }))
  }

  equals(other: AccessListBuilder): boolean {
    if (this.#slots.size !== other.#slots.size) return false
    for (const [address, slots] of this.#slots) {
      const others = other.#slots.get(address)
      if (others?.size !== slots.size) return false
      for (const slot of slots) if (!others.has(slot)) return false
    }
    return true
  }

  #entry(address: string): Set<string> {
    const slots = this.#slots.get(address) ?? new Set()
    this.#slots.set(address, slots)
    return slots
  }
}
