import { fromHex, toHex } from '../../../base/encoding/hex.ts'
import type { DevSnapshotChanges } from '../../../store/tables/chainMeta.ts'
import type { SnapshotRow } from '../../../store/tables/snapshotRows.ts'

/** A state of the chain that can be reverted to. */
export interface Snapshot {
  readonly id: number
  readonly number: number
  readonly hash: Uint8Array
  /** The number of the newest change of its state from outside a block. */
  readonly edit: number
  /** The base fee that was set for the block after it. */
  readonly baseFee: bigint | undefined
  /** The gas limit that was set for it. */
  readonly gasLimit?: bigint | undefined
}

/** A snapshot as it is stored. */
export interface StoredSnapshot extends Omit<Snapshot, 'hash' | 'baseFee' | 'gasLimit'> {
  readonly hash: string
  readonly baseFee?: string
  readonly gasLimit?: string
}

const toRow = ({ hash, baseFee, gasLimit, ...rest }: Snapshot): SnapshotRow => {
  const stored: StoredSnapshot = {
    ...rest,
    hash: toHex(hash),
    ...(baseFee === undefined ? {} : { baseFee: String(baseFee) }),
    ...(gasLimit === undefined ? {} : { gasLimit: String(gasLimit) }),
  }
  return { id: rest.id, text: JSON.stringify(stored) }
}

const fromStored = ({ hash, baseFee, gasLimit, ...rest }: StoredSnapshot): Snapshot => ({
  ...rest,
  hash: fromHex(hash),
  baseFee: baseFee === undefined ? undefined : BigInt(baseFee),
  ...(gasLimit === undefined ? {} : { gasLimit: BigInt(gasLimit) }),
})

/** The snapshots that were taken, by their ids, and what of them is not stored yet. */
export class Snapshots {
  readonly #all = new Map<number, Snapshot>()
  /** Those that an older version stored in the settings; they get rows with the next change. */
  #older: readonly Snapshot[]
  #added: Snapshot[] = []
  #removed: Snapshot[] = []

  constructor(rows: readonly SnapshotRow[], older: readonly StoredSnapshot[]) {
    // Written by `toRow`.
    for (const { text } of rows) this.#keep(fromStored(JSON.parse(text) as StoredSnapshot))
    this.#older = older.map(fromStored)
    for (const snapshot of this.#older) this.#keep(snapshot)
  }

  #keep(snapshot: Snapshot): void {
    this.#all.set(snapshot.id, snapshot)
  }

  all(): readonly Snapshot[] {
    return [...this.#all.values()]
  }

  get(id: number): Snapshot | undefined {
    return this.#all.get(id)
  }

  add(snapshot: Snapshot): void {
    this.#keep(snapshot)
    this.#added.push(snapshot)
  }

  removeWhere(isGone: (snapshot: Snapshot) => boolean): void {
    for (const snapshot of this.#all.values())
      if (isGone(snapshot)) {
        this.#all.delete(snapshot.id)
        this.#removed.push(snapshot)
      }
  }

  /** Removes all, because the rows of the chain were removed. */
  clear(): void {
    this.#all.clear()
    this.onStored()
  }

  /** Returns what has changed since the last time that it was stored. */
  changes(): DevSnapshotChanges {
    return {
      added: [...this.#older, ...this.#added].filter(({ id }) => this.#all.has(id)).map(toRow),
      removed: this.#removed.map(({ id }) => id),
    }
  }

  /** To be called when the changes are stored. */
  onStored(): void {
    this.#older = []
    this.#added = []
    this.#removed = []
  }

  /** Takes the changes back, because they could not be stored. */
  undo(): void {
    for (const { id } of this.#added) this.#all.delete(id)
    if (this.#removed.length > 0) {
      const all = [...this.#all.values(), ...this.#removed].sort((a, b) => a.id - b.id)
      this.#all.clear()
      for (const snapshot of all) this.#keep(snapshot)
    }
    this.#added = []
    this.#removed = []
  }
}
