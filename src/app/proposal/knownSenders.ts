import { toHex } from '../../base/encoding/hex.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { RecoveredSenders } from './nativeBlock.ts'

/**
 * The senders that the pool recovered, for the proposals that hold its transactions: a signature costs more than all other
 * checks together, and is recovered once. They travel with the next proposal, packed: 32 bytes of hash and 20 of sender.
 */

/** Senders that were recovered by the rules of a fork. */
export interface SenderHints {
  readonly fork: Fork
  readonly packed: Uint8Array
}

const hashBytes = 32
const recordBytes = hashBytes + 20
/** The number of senders that are kept on each side; the oldest go first, and are recovered again if they are needed. */
const maxSenders = 32_768

/** Collects what the pool recovers until the next proposal takes it along. */
export class SenderHintBatch {
  #fork: Fork | undefined
  #records: Uint8Array[] = []

  add(hash: Uint8Array, sender: Uint8Array, fork: Fork): void {
    if (this.#fork !== fork || this.#records.length >= maxSenders) this.#records = []
    this.#fork = fork
    const record = new Uint8Array(recordBytes)
    record.set(hash)
    record.set(sender, hashBytes)
    this.#records.push(record)
  }

  take(): SenderHints | undefined {
    if (this.#fork === undefined || this.#records.length === 0) return undefined
    const packed = Buffer.concat(this.#records)
    this.#records = []
    return { fork: this.#fork, packed: new Uint8Array(packed) }
  }
}

/** The senders that the application's thread knows. */
export class KnownSenders {
  #fork: Fork | undefined
  readonly #senders = new Map<string, Uint8Array>()

  learn({ fork, packed }: SenderHints): void {
    // What is a signature may differ between forks.
    if (fork !== this.#fork) this.#senders.clear()
    this.#fork = fork
    for (let at = 0; at < packed.length; at += recordBytes)
      this.#senders.set(
        toHex(packed.subarray(at, at + hashBytes)),
        packed.slice(at + hashBytes, at + recordBytes),
      )
    for (const id of this.#senders.keys()) {
      if (this.#senders.size <= maxSenders) break
      this.#senders.delete(id)
    }
  }

  /** Returns the senders by the rules of a fork, and before them those of `first`. */
  at(fork: Fork, first?: RecoveredSenders): RecoveredSenders {
    const known = fork === this.#fork ? this.#senders : undefined
    return { get: (id) => first?.get(id) ?? known?.get(id) }
  }
}
