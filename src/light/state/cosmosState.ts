import { LRUCache } from 'lru-cache'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes, equalBytes } from '../../base/encoding/bytes.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { decodeUtf8 } from '../../base/encoding/utf8.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { decodeLargeMessage, decodeMessage } from '../../cosmos/protobuf.ts'
import { evmMethods } from '../../cosmos/queries/moduleMethods.ts'
import { CosmosQuestion, type ProvenBalance } from './cosmosQuestion.ts'
import {
  type AskedState,
  differs,
  type Judge,
  MissingStore,
  type StateRules,
  type StoreReader,
  same,
  unreadable,
  type Verdict,
} from './judgement.ts'
import { ProofError, ProofFields } from './proofFields.ts'
import { decodeStoredAccount, type StoredAccount } from './storedAccount.ts'

const paramsKey = Uint8Array.of(3)
const maxFields = 1_000
const maxHeights = 256

/**
 * The coin of the EVM at each height, as the parameters of its module name it. What a node said of it when the chain was
 * detected is not proven, and an upgrade may change it.
 */
class EvmCoin {
  readonly #denoms = new LRUCache<number, string>({ max: maxHeights })

  /**
   * Returns the proven name of the coin; empty if the chain keeps its parameters elsewhere, undefined if a node says that
   * the module has no store.
   */
  async denomAt(height: number, read: StoreReader): Promise<string | undefined> {
    const known = this.#denoms.get(height)
    if (known !== undefined) return known
    try {
      const params = new ProofFields(await read('evm', paramsKey), maxFields)
      const denom = decodeUtf8(params.bytes(1))
      this.#denoms.set(height, denom)
      return denom
    } catch (error) {
      if (error instanceof MissingStore) return undefined
      throw error
    }
  }
}

/** Where chains with an EVM module keep what its queries answer, and what these must answer then. */

const word = (text: string): Uint8Array | undefined => {
  const digits = /^(?:0x)?([0-9a-fA-F]{0,64})$/.exec(text)?.[1]
  return digits === undefined ? undefined : fromHex(`0x${digits.padStart(64, '0')}`)
}

const addressIn = (text: string | undefined): Uint8Array | undefined =>
  text !== undefined && /^0x[0-9a-fA-F]{40}$/.test(text) ? fromHex(text) : undefined

const unjudged: Verdict = { is: 'unjudged' }

/** Returns the verdict on a response that has several parts: the worst of theirs. */
const worst = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.find(({ is }) => is === 'different') ??
  verdicts.find(({ is }) => is === 'unjudged') ??
  same(verdicts.every((verdict) => verdict.is === 'same' && verdict.isTelling))

/** Reads a balance that was reported, of up to 78 digits; undefined if it is not a number. */
const parseBalance = (told: string): bigint | undefined =>
  /^(?:-?\d{1,78})?$/.test(told) ? BigInt(told) : undefined

const judgeBalance = (
  told: string,
  { full, isOfCoin }: ProvenBalance,
  account: StoredAccount | undefined,
  isThere: boolean,
): Verdict => {
  const balance = parseBalance(told)
  if (balance === undefined) return differs('its balance is not a number')
  if (full === undefined) return unjudged
  if (balance === full) return isOfCoin ? same(full > 0n) : unjudged
  if (balance > full || balance < 0n) return differs(`its balance is ${full}, not ${told}`)
  // Newer versions tell what can be spent: what vests is reported as less, and the reserve of x/precisebank as nothing.
  const canBeLess = isThere && (account === undefined || account.kind === 'vesting')
  const isReserve = account?.kind === 'reserve' && balance === 0n
  return canBeLess || isReserve ? unjudged : differs(`its balance is ${full}, not ${told}`)
}

/** Returns the hash of an account's code: from the EVM's store, or from the account where it is kept there. */
const codeHashOf = (stored: Uint8Array, account: StoredAccount | undefined): Uint8Array => {
  if (stored.length > 0) return stored
  return account?.codeHash === undefined ? emptyCodeHash : (word(account.codeHash) ?? emptyCodeHash)
}

const decodeAccount = (bytes: Uint8Array): { isThere: boolean; account: StoredAccount | undefined } => ({
  isThere: bytes.length > 0,
  account: bytes.length > 0 ? decodeStoredAccount(bytes) : undefined,
})

type Ask = (question: CosmosQuestion, request: Uint8Array) => (() => Promise<Judge>) | undefined

const asks: Readonly<Record<string, Ask>> = {
  [evmMethods.storage.name]: (question, request) => {
    const asked = decodeMessage(evmMethods.storage.request, request)
    const [address, slot] = [addressIn(asked?.address), word(asked?.key ?? '')]
    if (address === undefined || slot === undefined) return undefined
    return async () => {
      const stored = await question.slot(address, slot)
      if (stored.length > 32) throw new ProofError('a slot has more than 32 bytes')
      const value = concatBytes(new Uint8Array(32 - stored.length), stored)
      return async (response) => {
        const told = word(decodeLargeMessage(evmMethods.storage.response, response)?.value ?? '-')
        if (told === undefined) return unreadable
        return equalBytes(told, value)
          ? same(stored.length > 0)
          : differs(`the slot is ${toHex(value)}, not ${toHex(told)}`)
      }
    }
  },
  [evmMethods.balance.name]: (question, request) => {
    const address = addressIn(decodeMessage(evmMethods.balance.request, request)?.address)
    if (address === undefined) return undefined
    return async () => {
      const proven = await question.balance(address)
      const { full } = proven
      return async (response) => {
        const told = decodeLargeMessage(evmMethods.balance.response, response)?.balance
        if (told === undefined) return unreadable
        const balance = parseBalance(told)
        const isLess = full !== undefined && balance !== undefined && balance < full
        const { isThere, account } = decodeAccount(
          isLess ? await question.account(address) : new Uint8Array(0),
        )
        return judgeBalance(told, proven, account, isThere)
      }
    }
  },
  [evmMethods.code.name]: (question, request) => {
    const address = addressIn(decodeMessage(evmMethods.code.request, request)?.address)
    if (address === undefined) return undefined
    return async () => {
      const stored = await question.codeHash(address)
      return async (response) => {
        const code = decodeLargeMessage(evmMethods.code.response, response)?.code
        if (code === undefined) return unreadable
        const told = keccak256(code)
        if (equalBytes(told, stored)) return same(true)
        const { isThere, account } = decodeAccount(await question.account(address))
        if (isThere && account === undefined) return unjudged
        const hash = isThere ? codeHashOf(stored, account) : emptyCodeHash
        return equalBytes(told, hash)
          ? same(code.length > 0)
          : differs(`the hash of its code is ${toHex(hash)}, not ${toHex(told)}`)
      }
    }
  },
  [evmMethods.account.name]: (question, request) => {
    const address = addressIn(decodeMessage(evmMethods.account.request, request)?.address)
    if (address === undefined) return undefined
    return async () => {
      const [stored, balance, codeHash] = await Promise.all([
        question.account(address),
        question.balance(address),
        question.codeHash(address),
      ])
      const { isThere, account } = decodeAccount(stored)
      return async (response) => {
        const told = decodeLargeMessage(evmMethods.account.response, response)
        if (told === undefined) return unreadable
        const toldHash = told.codeHash === '' ? emptyCodeHash : word(told.codeHash)
        if (toldHash === undefined) return unreadable
        if (!isThere) {
          const isEmpty =
            told.nonce === 0n && /^0?$/.test(told.balance) && equalBytes(toldHash, emptyCodeHash)
          return isEmpty ? same(false) : differs('there is no such account')
        }
        if (account === undefined) return unjudged
        const hash = codeHashOf(codeHash, account)
        return worst([
          told.nonce === account.sequence
            ? same(account.sequence > 0n)
            : differs(`its nonce is ${account.sequence}, not ${told.nonce}`),
          judgeBalance(told.balance, balance, account, isThere),
          equalBytes(toldHash, hash)
            ? same(true)
            : differs(`the hash of its code is ${toHex(hash)}, not ${toHex(toldHash)}`),
        ])
      }
    }
  },
}

/** Returns how answers of a chain with an EVM module are proven. */
export const cosmosStateRules = (
  chainInfo: Pick<ChainInfo, 'evmPackage' | 'feeDenom' | 'decimals'>,
): StateRules => {
  const service = `/${chainInfo.evmPackage}.Query/`
  const coin = new EvmCoin()
  return ({ path, request, height }: AskedState, read: StoreReader) => {
    const name = path.startsWith(service) ? path.slice(service.length) : ''
    const ask = Object.hasOwn(asks, name) ? asks[name] : undefined
    const question = new CosmosQuestion(read, chainInfo, () => coin.denomAt(height, read))
    const begin = ask?.(question, request)
    return begin && { name, begin }
  }
}
