import { equalBytes } from '../base/bytes.ts'
import { keccak256 } from '../base/crypto.ts'
import type { LmdbEnvironment } from '../base/lmdb.ts'
import type { Account, AccountChange } from '../chain/world.ts'
import { encodeChangeList } from './changeList.ts'
import { prepareBlock } from './prepare.ts'
import { decodeAccount, emptyRoot, heightKey } from './rows.ts'
import { recordOf, type SnapshotManifest } from './snapshot.ts'
import type { StateTables } from './tables.ts'

/** The chunks are not what the manifest says, or do not lead to its root. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
}

interface OpenAccount {
  readonly address: Uint8Array
  readonly account: Account
  readonly storage: (readonly [slot: Uint8Array, value: Uint8Array])[]
}

/**
 * Fills an empty store from chunks in their order. Each chunk is one transaction, so that memory stays bounded; the
 * head is set by the last one alone, and only where the trie that was rebuilt has the root that the manifest names.
 */
export class SnapshotImport {
  private readonly environment: LmdbEnvironment
  private readonly tables: StateTables
  private readonly manifest: SnapshotManifest
  private root: Uint8Array | undefined
  private next = 0
  /** The account whose slots may go on in the next chunk. */
  private open: { readonly address: Uint8Array; readonly account: Account } | undefined

  private constructor(environment: LmdbEnvironment, tables: StateTables, manifest: SnapshotManifest) {
    this.environment = environment
    this.tables = tables
    this.manifest = manifest
  }

  /** Begins, over what an import that was broken off may have left. */
  static async begin(
    environment: LmdbEnvironment,
    tables: StateTables,
    manifest: SnapshotManifest,
  ): Promise<SnapshotImport> {
    if (tables.head()) throw new SnapshotError('the store has a state already')
    await environment.transact(() => {
      tables.clear()
      tables.setImporting(manifest.height)
    })
    return new SnapshotImport(environment, tables, manifest)
  }

  async add(chunk: Uint8Array): Promise<void> {
    const expected = this.manifest.chunks[this.next]
    if (!expected || !equalBytes(keccak256(chunk), expected)) {
      throw new SnapshotError(`chunk ${this.next} is not the one that the manifest names`)
    }
    this.next++
    const { height } = this.manifest
    const continued = chunk[0] === recordOf.more ? this.open?.address : undefined
    const { accounts, code } = this.decode(chunk)
    const base = this.root && { height, root: this.root }
    const prepared = prepareBlock(this.tables, base, height, { accounts, code })
    await this.environment.transact(() => {
      // An account whose slots went on has a row of this height from the chunk before.
      if (continued) this.tables.accounts.table.remove(continued)
      prepared.flat.write(this.tables)
      prepared.accountNodes.write(this.tables.nodes, [])
      prepared.slotNodes.write(this.tables.nodes, [])
      for (const [hash, bytes] of prepared.code) this.tables.code.put(hash, bytes)
    })
    this.root = prepared.root
  }

  async finish(): Promise<void> {
    const { height, root, chunks } = this.manifest
    if (this.next !== chunks.length)
      throw new SnapshotError(`${chunks.length - this.next} chunks are missing`)
    const rebuilt = this.root ?? emptyRoot
    if (!equalBytes(rebuilt, root)) {
      throw new SnapshotError(`the root is ${Buffer.from(rebuilt).toString('hex')}, not the manifest's`)
    }
    await this.environment.transact(() => {
      this.tables.roots.put(heightKey(height), root)
      this.tables.changes.put(heightKey(height), encodeChangeList({ keys: [[], []], dropped: [] }))
      this.tables.setOldest(height)
      this.tables.setHead({ height, root })
      this.tables.setImporting(undefined)
    })
  }

  private decode(chunk: Uint8Array): { accounts: AccountChange[]; code: [Uint8Array, Uint8Array][] } {
    const accounts: OpenAccount[] = []
    const code: [Uint8Array, Uint8Array][] = []
    for (let at = 0; at < chunk.length; ) {
      const kind = chunk[at++]
      if (kind === recordOf.code) {
        const start = at + 4
        const end = start + Buffer.from(chunk.buffer, chunk.byteOffset + at, 4).readUInt32BE()
        const bytes = chunk.slice(start, end)
        code.push([keccak256(bytes), bytes])
        at = end
      } else if (kind === recordOf.account) {
        const address = chunk.slice(at, at + 20)
        accounts.push({ address, account: decodeAccount(chunk, at + 21), storage: [] })
        at += 21 + (chunk[at + 20] as number)
      } else if (kind === recordOf.more) {
        const { open } = this
        if (!open || at > 1 || !equalBytes(open.address, chunk.subarray(at, at + 20))) {
          throw new SnapshotError('slots without their account')
        }
        accounts.push({ ...open, storage: [] })
        at += 20
      } else if (kind === recordOf.slot) {
        const length = chunk[at + 32] as number
        const value = new Uint8Array(32)
        value.set(chunk.subarray(at + 33, at + 33 + length), 32 - length)
        const last = accounts.at(-1)
        if (!last) throw new SnapshotError('slots without their account')
        last.storage.push([chunk.slice(at, at + 32), value])
        at += 33 + length
      } else throw new SnapshotError(`record of unknown kind ${kind}`)
    }
    this.open = accounts.at(-1)
    return { accounts: accounts.map((account) => ({ ...account, storageCleared: false })), code }
  }
}
