import { toHex } from '../../base/encoding/hex.ts'
import type { Account, EvmStateReader, StateChanges } from '../../chain/state/evmState.ts'

/** What one step made of an account. */
interface AccountVersion {
  readonly step: number
  readonly account: Account | undefined
  /** Whether what earlier steps and the state below have in its slots does not count any more. */
  readonly isCleared: boolean
  readonly slots: ReadonlyMap<string, Uint8Array>
}

const unset = new Uint8Array(32)
/** The approximate memory of a change. */
const accountBytes = 400
const slotBytes = 250

/**
 * The changes that one step after the other made to a state, from which the state before any of them can be read. It holds
 * no state itself.
 */
export class VersionedChanges {
  /** The memory that it takes, about. */
  bytes = 0
  /** The number of steps so far. */
  steps = 0
  readonly #accounts = new Map<string, AccountVersion[]>()
  readonly #code = new Map<string, Uint8Array>()

  /** Adds the changes of the next step. */
  add({ accounts, code }: StateChanges): void {
    for (const [hash, bytes] of code) {
      this.#code.set(toHex(hash), bytes)
      this.bytes += accountBytes + bytes.length
    }
    for (const { address, account, storageCleared, storage } of accounts) {
      const slots = new Map(storage.map(([slot, value]) => [toHex(slot), value]))
      const isCleared = storageCleared || account === undefined
      const version = { step: this.steps, account, isCleared, slots }
      const key = toHex(address)
      const versions = this.#accounts.get(key)
      if (versions === undefined) this.#accounts.set(key, [version])
      else versions.push(version)
      this.bytes += accountBytes + storage.length * slotBytes
    }
    this.steps++
  }

  /** Returns the state after the first `count` steps on top of the state that the first began with. */
  after(count: number, base: EvmStateReader): EvmStateReader {
    /** Returns the number of versions of an account that count. */
    const known = (versions: readonly AccountVersion[] = []): number => {
      let { length } = versions
      while (length > 0 && (versions[length - 1]?.step ?? 0) >= count) length--
      return length
    }
    return {
      account: (address) => {
        const versions = this.#accounts.get(toHex(address))
        const length = known(versions)
        return length === 0 ? base.account(address) : versions?.[length - 1]?.account
      },
      storage: (address, slot) => {
        const versions = this.#accounts.get(toHex(address))
        const key = toHex(slot)
        for (let index = known(versions) - 1; index >= 0; index--) {
          const version = versions?.[index] as AccountVersion // the index is below the length
          const value = version.slots.get(key)
          if (value !== undefined) return value
          if (version.isCleared) return unset
        }
        return base.storage(address, slot)
      },
      code: (codeHash) => this.#code.get(toHex(codeHash)) ?? base.code(codeHash),
      hasStorage: (address) => {
        const versions = this.#accounts.get(toHex(address))
        for (let index = known(versions) - 1; index >= 0; index--) {
          const version = versions?.[index] as AccountVersion // the index is below the length
          for (const value of version.slots.values()) if (value.some((byte) => byte !== 0)) return true
          if (version.isCleared) return false
        }
        return base.hasStorage(address)
      },
    }
  }
}
