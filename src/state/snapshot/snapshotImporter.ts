import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { AccountChange } from '../../chain/state/evmState.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import { prepareBlock } from '../prepareBlock.ts'
import { encodeChangeList } from '../rows/changeList.ts'
import { emptyRoot, heightKey } from '../rows/rows.ts'
import type { StateTables } from '../stateTables.ts'
import { SnapshotError } from './snapshotError.ts'
import { recordTypes, type SnapshotManifest } from './snapshotManifest.ts'
import { type DecodedRecords, SnapshotRecordReader } from './snapshotRecords.ts'

/**
 * Fills an empty store from chunks in their order. Each chunk is one transaction, so that memory stays
 * bounded. Only the last one sets the head, and only if the rebuilt trie has the root that the manifest
 * names.
 */
export class SnapshotImporter {
  readonly #environment: LmdbEnvironment
  readonly #tables: StateTables
  readonly #manifest: SnapshotManifest
  readonly #records = new SnapshotRecordReader()
  #root: Uint8Array | undefined
  #next = 0

  private constructor(environment: LmdbEnvironment, tables: StateTables, manifest: SnapshotManifest) {
    this.#environment = environment
    this.#tables = tables
    this.#manifest = manifest
  }

  /**
   * Starts an import, and removes the rows that an interrupted one may have left. The state of a chain that
   * has only its first block is dropped; `alsoWrite` is part of the same transaction.
   */
  static async start(
    environment: LmdbEnvironment,
    tables: StateTables,
    manifest: SnapshotManifest,
    alsoWrite: () => void = () => {},
  ): Promise<SnapshotImporter> {
    await environment.transact(() => {
      alsoWrite()
      if ((tables.head()?.height ?? 0) > 0 && tables.oldest() !== tables.head()?.height)
        throw new SnapshotError('the store has a state already')
      tables.clear()
      tables.setImporting(manifest.height)
    })
    return new SnapshotImporter(environment, tables, manifest)
  }

  async add(chunk: Uint8Array): Promise<void> {
    const expected = this.#manifest.chunks[this.#next]
    if (!expected || !equalBytes(keccak256(chunk), expected)) {
      throw new SnapshotError(`chunk ${this.#next} is not the one that the manifest names`)
    }
    const { height } = this.#manifest
    const records = this.#records
    const continued = chunk[0] === recordTypes.more ? records.open?.address : undefined
    const decoded = records.read(chunk)
    this.#assertCode(decoded)
    const accounts: AccountChange[] = decoded.accounts.map((account) => ({
      ...account,
      storageCleared: false,
    }))
    const base = this.#root && { height, root: this.#root }
    const prepared = prepareBlock(
      this.#tables,
      base,
      height,
      { accounts, code: decoded.code },
      { isForked: false },
    )
    await this.#environment.transact(() => {
      // An account whose slots continue has a row of this height from the previous chunk.
      if (continued) this.#tables.accounts.table.remove(continued)
      prepared.flat.write(this.#tables)
      prepared.accountNodes.write(this.#tables.nodes, [])
      prepared.slotNodes.write(this.#tables.nodes, [])
      for (const [hash, bytes] of prepared.code) this.#tables.code.put(hash, bytes)
    })
    this.#root = prepared.root
    this.#next++
  }

  /** Sets the head; `alsoWrite` is part of the same transaction. */
  async finish(alsoWrite: () => void = () => {}): Promise<void> {
    const { height, root, chunks } = this.#manifest
    if (this.#next !== chunks.length)
      throw new SnapshotError(`${chunks.length - this.#next} chunks are missing`)
    const rebuilt = this.#root ?? emptyRoot
    if (!equalBytes(rebuilt, root)) {
      throw new SnapshotError(`the root is ${Buffer.from(rebuilt).toString('hex')}, not the manifest's`)
    }
    await this.#environment.transact(() => {
      this.#tables.roots.put(heightKey(height), root)
      this.#tables.changes.put(heightKey(height), encodeChangeList({ keys: [[], []], dropped: [] }))
      this.#tables.setOldest(height)
      this.#tables.setHead({ height, root })
      this.#tables.setImporting(undefined)
      alsoWrite()
    })
  }

  /** Checks that the code of the accounts is present, because the root does not prove it. */
  #assertCode({ accounts, code }: DecodedRecords): void {
    const brought = new Set(code.map(([hash]) => Buffer.from(hash).toString('latin1')))
    for (const { account } of accounts) {
      const { codeHash } = account
      if (equalBytes(codeHash, emptyCodeHash) || brought.has(Buffer.from(codeHash).toString('latin1')))
        continue
      if (!this.#tables.code.doesExist(codeHash)) throw new SnapshotError('an account comes without its code')
    }
  }
}
