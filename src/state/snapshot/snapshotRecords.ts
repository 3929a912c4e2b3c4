import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import type { Account } from '../../chain/state/evmState.ts'
import { decodeAccount, encodeAccount, noStorage } from '../rows/rows.ts'
import { SnapshotError } from './snapshotError.ts'
import { recordTypes } from './snapshotManifest.ts'

export interface RecordedAccount {
  readonly address: Uint8Array
  readonly account: Account
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

export interface DecodedRecords {
  readonly accounts: readonly RecordedAccount[]
  /** The code with its hashes. */
  readonly code: readonly (readonly [hash: Uint8Array, code: Uint8Array])[]
}

interface OpenAccount extends RecordedAccount {
  readonly storage: (readonly [slot: Uint8Array, value: Uint8Array])[]
}

const addressBytes = 20
const slotBytes = 32

/**
 * Decodes the records of chunks, which may come from an untrusted node. Accounts and slots must be in the
 * order of their hashes, each once: if one came twice, the trie would hold the later one and a read could
 * find the earlier.
 */
export class SnapshotRecordReader {
  /** The account whose slots may continue in the next chunk. */
  open: Omit<RecordedAccount, 'storage'> | undefined
  #lastAccount: Uint8Array | undefined
  #lastSlot: Uint8Array | undefined

  read(chunk: Uint8Array): DecodedRecords {
    const accounts: OpenAccount[] = []
    const code: (readonly [Uint8Array, Uint8Array])[] = []
    let at = 0
    const take = (length: number): Uint8Array => {
      if (length > chunk.length - at) throw new SnapshotError('a record is longer than its chunk')
      at += length
      return chunk.slice(at - length, at)
    }
    const takeByte = (): number => take(1)[0] as number // of the requested length
    while (at < chunk.length) {
      const kind = takeByte()
      if (kind === recordTypes.code) {
        const bytes = take(Buffer.from(take(4)).readUInt32BE())
        code.push([keccak256(bytes), bytes])
      } else if (kind === recordTypes.account) {
        const address = take(addressBytes)
        this.#lastAccount = assertAscending(this.#lastAccount, address, 'accounts')
        this.#lastSlot = undefined
        accounts.push({ address, account: decodeAccountRecord(take(takeByte())), storage: [] })
      } else if (kind === recordTypes.more) {
        const { open } = this
        if (!open || at > 1 || !equalBytes(open.address, take(addressBytes)))
          throw new SnapshotError('slots without their account')
        accounts.push({ ...open, storage: [] })
      } else if (kind === recordTypes.slot) {
        const last = accounts.at(-1)
        if (!last) throw new SnapshotError('slots without their account')
        const slot = take(slotBytes)
        this.#lastSlot = assertAscending(this.#lastSlot, slot, 'slots')
        last.storage.push([slot, decodeWord(take(takeByte()))])
      } else throw new SnapshotError(`record of unknown kind ${kind}`)
    }
    // Nothing would be written of one that goes on without a slot, and its row of the chunk before is removed.
    if (chunk[0] === recordTypes.more && accounts[0]?.storage.length === 0)
      throw new SnapshotError('an account goes on without slots')
    const last = accounts.at(-1)
    if (last) this.open = { address: last.address, account: last.account }
    return { accounts, code }
  }
}

const assertAscending = (last: Uint8Array | undefined, key: Uint8Array, name: string): Uint8Array => {
  const hash = keccak256(key)
  if (last && Buffer.compare(last, hash) >= 0) throw new SnapshotError(`${name} are out of order`)
  return hash
}

/** Decodes an account record, and rejects one that is not in the canonical form. */
const decodeAccountRecord = (row: Uint8Array): Account => {
  const [, nonceLength = 0, balanceLength = 0] = row
  if (row.length < 3 + nonceLength + balanceLength || nonceLength > 8 || balanceLength > 32)
    throw new SnapshotError('an account is not well formed')
  const { nonce, balance, codeHash } = decodeAccount(row, 0)
  const account = { nonce, balance, codeHash }
  if (!equalBytes(encodeAccount(account, noStorage), row))
    throw new SnapshotError('an account is not well formed')
  return account
}

const decodeWord = (value: Uint8Array): Uint8Array => {
  if (value.length === 0 || value.length > 32 || value[0] === 0)
    throw new SnapshotError('a slot is not well formed')
  const word = new Uint8Array(32)
  word.set(value, 32 - value.length)
  return word
}
