import { toBigInt } from '../../base/encoding/bytes.ts'
import { unavailable } from '../../chain/chainError.ts'
import type { AccountPage, AccountProof, SlotPage, StateView } from '../../chain/port/state.ts'
import type { AccountView } from '../../chain/state/accountLeaf.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import type { StateReader } from '../../state/reading/stateReader.ts'
import type { StoredAccount } from '../../state/rows/rows.ts'

/** The fields that a proof gives for an account that does not exist. */
const zeroHash = new Uint8Array(32)

/** An account that does not exist has hashes of zeros in a proof, as in geth. */
const absent: AccountView = { nonce: 0n, balance: 0n, codeHash: zeroHash, storageRoot: zeroHash }

/** The state at one height, read from the local store. */
export class StoredStateView implements StateView {
  readonly #reader: StateReader
  /** Whether a page was read: whoever reads the next one, or code, wants it of the same state. */
  #isPaged = false

  constructor(reader: StateReader) {
    this.#reader = reader
  }

  balance(address: Uint8Array): bigint {
    return this.#reader.account(address)?.balance ?? 0n
  }

  nonce(address: Uint8Array): bigint {
    return this.#reader.account(address)?.nonce ?? 0n
  }

  code(address: Uint8Array): Uint8Array {
    if (this.#isPaged) this.#assertUnchanged()
    return this.#reader.code(this.#reader.account(address)?.codeHash ?? emptyCodeHash)
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#reader.storage(address, slot)
  }

  account(address: Uint8Array): AccountView | undefined {
    const account = this.#reader.storedAccount(address)
    return account && toAccountView(account)
  }

  prove(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof {
    const { account, proof, storage } = this.#reader.getProof(address, slots)
    return {
      ...(account ? toAccountView(account) : absent),
      accountProof: proof,
      storageProof: storage.map((slot) => ({ value: toBigInt(slot.value), proof: slot.proof })),
    }
  }

  accounts(start: Uint8Array, limit: number): AccountPage {
    this.#assertUnchanged()
    const { items, next } = this.#reader.accountRange(start, limit)
    const accounts = items.map(({ hash, address, account }) => ({
      ...toAccountView(account),
      address,
      hashedAddress: hash,
    }))
    return { root: this.#reader.root, accounts, next }
  }

  slots(address: Uint8Array, start: Uint8Array, limit: number): SlotPage {
    this.#assertUnchanged()
    const { items, next } = this.#reader.storageRange(address, start, limit)
    const slots = items.map(({ hash, slot, value }) => ({ hashedSlot: hash, slot, value: padToWord(value) }))
    return { slots, next }
  }

  /** Pages are read with breaks between them, in which blocks can be removed and others made in their place. */
  #assertUnchanged(): void {
    this.#isPaged = true
    if (!this.#reader.isUnchanged())
      throw unavailable('blocks were reverted while their state was read; try again')
  }
}

/** Returns the value as 32 bytes; the store omits leading zeros. */
const padToWord = (value: Uint8Array): Uint8Array => {
  const word = new Uint8Array(32)
  word.set(value, 32 - value.length)
  return word
}

const toAccountView = ({ nonce, balance, codeHash, storageRoot }: StoredAccount): AccountView => ({
  nonce,
  balance,
  codeHash,
  storageRoot,
})
