import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { StepRecordFile } from './recordFormat.ts'

/** The most transactions whose steps are kept; each takes at most `maxRecordBytes` of the disk. */
const maxRecords = 4

/** The files with the steps of transactions, for people who step through them. There are never more files. */
export class StepRecords {
  readonly #folder: string
  /** The number of the file by transaction; the one that was not used for longest first. */
  readonly #slots = new Map<string, number>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns the file for a transaction. Its block names what was before it, so that its steps are always the same. */
  fileFor(blockHash: Uint8Array, index: number): StepRecordFile {
    const key = Buffer.alloc(blockHash.length + 4)
    key.set(blockHash)
    key.writeUInt32LE(index, blockHash.length)
    const name = key.toString('hex')
    const known = this.#slots.get(name)
    const slot = known ?? this.#freeSlot()
    const path = join(this.#folder, `steps-${slot}`)
    this.#slots.delete(name)
    this.#slots.set(name, slot)
    // What a worker left that was ended in the middle would keep others from writing.
    if (known === undefined) for (const old of [path, `${path}.part`]) rmSync(old, { force: true })
    return { path, key }
  }

  #freeSlot(): number {
    if (this.#slots.size < maxRecords) return this.#slots.size
    const [[name, slot] = ['', 0]] = this.#slots
    this.#slots.delete(name)
    return slot
  }
}
