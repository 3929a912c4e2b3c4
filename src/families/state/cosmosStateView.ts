import { toBigInt } from '../../base/encoding/bytes.ts'
import { decodeFixedHex, fromHex, toHex } from '../../base/encoding/hex.ts'
import { refused, statePrunedError, unavailable, unsupported } from '../../chain/chainError.ts'
import type { AccountProof, StateView } from '../../chain/port/state.ts'
import type { AccountView } from '../../chain/state/accountLeaf.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import { afterTimeout } from '../../comet/client/deadline.ts'
import { evmMethods } from '../../cosmos/queries/moduleMethods.ts'
import { maxUnprovableHeight } from '../../light/state/ics23Proofs.ts'
import { storeKeys } from '../../light/state/storeKeys.ts'
import { hasBalance, hasWord, isAccount } from '../queries/answerValues.ts'
import type { ModuleQueryClient } from '../queries/moduleQueryClient.ts'
import { toWholeNumber } from './moduleValues.ts'

/**
 * The storage root of every account: such chains have one tree for a module's whole storage, and none for an account.
 */
const noStorageRoot = new Uint8Array(32)

/** The state after one block of a chain with an EVM module. Each value is read by a query. */
export class CosmosStateView implements StateView {
  readonly #queries: ModuleQueryClient
  readonly #height: number
  readonly #timeoutMs: number

  constructor(queries: ModuleQueryClient, height: number, timeoutMs: number) {
    this.#queries = queries
    this.#height = height
    this.#timeoutMs = timeoutMs
  }

  async balance(address: Uint8Array): Promise<bigint> {
    const { balance } = await this.#queries.evm(
      evmMethods.balance,
      { address: toHex(address) },
      this.#height,
      this.#signal(),
      hasBalance,
    )
    return this.#toBalance(balance)
  }

  async nonce(address: Uint8Array): Promise<bigint> {
    return (await this.#account(address)).nonce
  }

  async code(address: Uint8Array): Promise<Uint8Array> {
    const request = { address: toHex(address) }
    return (await this.#queries.evm(evmMethods.code, request, this.#height, this.#signal())).code
  }

  async storage(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array> {
    const request = { address: toHex(address), key: toHex(slot) }
    const { value } = await this.#queries.evm(
      evmMethods.storage,
      request,
      this.#height,
      this.#signal(),
      hasWord,
    )
    return toWord(value)
  }

  /**
   * Returns an account. The module does not distinguish a missing account from an empty one, which EIP-161 treats
   * alike.
   */
  async account(address: Uint8Array): Promise<AccountView | undefined> {
    const account = await this.#account(address)
    const isEmpty =
      account.nonce === 0n && account.balance === 0n && toHex(account.codeHash) === toHex(emptyCodeHash)
    return isEmpty ? undefined : account
  }

  async prove(address: Uint8Array, slots: readonly Uint8Array[]): Promise<AccountProof> {
    if (this.#height <= maxUnprovableHeight)
      throw refused(`proof queries at height <= ${maxUnprovableHeight} are not supported`)
    const signal = this.#signal()
    const prove = (store: string, key: Uint8Array) => this.#queries.prove(store, key, this.#height, signal)
    const [account, known, ...proven] = await Promise.all([
      this.#account(address),
      prove('acc', storeKeys.account(address)),
      ...slots.map((slot) => prove('evm', storeKeys.slot(address, slot))),
    ])
    return {
      ...account,
      proofType: 'ics23',
      accountProof: known.operations.map(({ data }) => data),
      storageProof: proven.map(({ value, operations }) => ({
        value: toBigInt(value),
        proof: operations.map(({ data }) => data),
      })),
    }
  }

  accounts(): never {
    throw unsupported(noRanges)
  }

  slots(): never {
    throw unsupported(noRanges)
  }

  async #account(address: Uint8Array): Promise<AccountView> {
    const request = { address: toHex(address) }
    const account = await this.#queries.evm(
      evmMethods.account,
      request,
      this.#height,
      this.#signal(),
      isAccount,
    )
    return {
      nonce: account.nonce,
      balance: this.#toBalance(account.balance),
      codeHash: toCodeHash(account.codeHash),
      storageRoot: noStorageRoot,
    }
  }

  /** Parses a balance. Older versions return -1 if the state is pruned. */
  #toBalance(text: string): bigint {
    if (text.startsWith('-')) throw statePrunedError(this.#height, this.#queries.earliestState)
    return toWholeNumber(text, 'a balance')
  }

  #signal(): AbortSignal {
    return afterTimeout(this.#timeoutMs)
  }
}

const noRanges =
  'the chain behind this gateway answers for one account and one slot at a time, and has no query that lists them'

const toCodeHash = (text: string): Uint8Array => {
  const hash = text === '' ? emptyCodeHash : decodeFixedHex(text, 32)
  if (hash === undefined) throw unavailable('the chain returned an invalid code hash')
  return hash
}

const toWord = (value: string): Uint8Array => {
  const digits = /^(?:0x)?([0-9a-fA-F]{0,64})$/.exec(value)?.[1]
  if (digits === undefined) throw unavailable('the chain gave a slot that is not a word')
  return fromHex(`0x${digits.padStart(64, '0')}`)
}
