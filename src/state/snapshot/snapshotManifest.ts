import { keccak256 } from '../../base/crypto/crypto.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import { iterateAccounts, iterateSlots } from '../reading/stateRange.ts'
import type { StateReader } from '../reading/stateReader.ts'
import { encodeAccount, noStorage } from '../rows/rows.ts'
import type { StateTables } from '../stateTables.ts'

/**
 * The whole state at one height as a row of chunks: accounts in the order of their hashes, each followed by its slots,
 * and code before the first account that has it. The same state always gives the same chunks.
 *
 *   1 · address · length · account row without storage
 *   2 · slot · length · value
 *   3 · address                 more slots of this account, at the beginning of a chunk
 *   4 · length (4 bytes) · code
 */
export const recordTypes = { account: 1, slot: 2, more: 3, code: 4 } as const

export interface SnapshotManifest {
  readonly format: 1
  readonly height: number
  readonly root: Uint8Array
  /** The keccak256 of each chunk. */
  readonly chunks: readonly Uint8Array[]
}

export const defaultChunkBytes = 2 ** 20

/** Returns the chunks of a state, which are consistent if the reader is pinned. */
export function* iterateSnapshotChunks(
  tables: StateTables,
  reader: StateReader,
  chunkBytes = defaultChunkBytes,
): Generator<Uint8Array> {
  let parts: Uint8Array[] = []
  let size = 0
  const add = (part: Uint8Array): void => {
    parts.push(part)
    size += part.length
  }
  const take = (): Uint8Array => {
    const chunk = Buffer.concat(parts)
    parts = []
    size = 0
    return chunk
  }
  const codeSeen = new Set<string>()
  for (const { address, account } of iterateAccounts(tables, reader.at)) {
    const codeName = Buffer.from(account.codeHash).toString('latin1')
    if (Buffer.compare(account.codeHash, emptyCodeHash) !== 0 && !codeSeen.has(codeName)) {
      codeSeen.add(codeName)
      add(codeRecord(reader.code(account.codeHash)))
    }
    add(
      Buffer.concat([
        Uint8Array.of(recordTypes.account),
        address,
        withLength(encodeAccount(account, noStorage)),
      ]),
    )
    if (size >= chunkBytes) yield take()
    for (const { slot, value } of iterateSlots(tables, reader.at, address, account)) {
      if (size === 0) add(Buffer.concat([Uint8Array.of(recordTypes.more), address]))
      add(Buffer.concat([Uint8Array.of(recordTypes.slot), slot, withLength(value)]))
      if (size >= chunkBytes) yield take()
    }
  }
  if (size > 0) yield take()
}

/** Computes the manifest, which needs one pass over the chunks. */
export const createSnapshotManifest = (
  tables: StateTables,
  reader: StateReader,
  chunkBytes = defaultChunkBytes,
): SnapshotManifest => {
  const chunks: Uint8Array[] = []
  for (const chunk of iterateSnapshotChunks(tables, reader, chunkBytes)) chunks.push(keccak256(chunk))
  return { format: 1, height: reader.height, root: reader.root, chunks }
}

const withLength = (bytes: Uint8Array): Uint8Array => Buffer.concat([Uint8Array.of(bytes.length), bytes])

const codeRecord = (code: Uint8Array): Uint8Array => {
  const header = Buffer.alloc(5)
  header[0] = recordTypes.code
  header.writeUInt32BE(code.length, 1)
  return Buffer.concat([header, code])
}
