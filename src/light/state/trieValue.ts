import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes, emptyBytes, equalBytes } from '../../base/encoding/bytes.ts'
import { decodeRlp } from '../../base/encoding/rlp.ts'
import { decodeHeader } from '../../chain/block/header.ts'
import { emptyTrieRoot } from '../../chain/block/trieRoot.ts'
import { type AccountView, decodeAccountLeaf } from '../../chain/state/accountLeaf.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import type { ProvenValue } from '../../comet/data/nativeQuery.ts'
import { storeProofs } from '../../cosmos/queries/storeProofs.ts'
import { ProofError } from './proofFields.ts'
import { decoded, decodeTrieNodes, readTrieProof } from './trieProof.ts'

/** Headers of Ethereum have 1 KiB at most with 32 bytes of extra data; lists of signers make them longer. */
const maxHeaderBytes = 65_536

type Operation = ProvenValue['operations'][number]

/** What an account is that is not there. */
export const noAccount: AccountView = {
  nonce: 0n,
  balance: 0n,
  storageRoot: emptyTrieRoot,
  codeHash: emptyCodeHash,
}

/** Returns the leaf of an account under a state root; empty if it is proven that there is none. Throws a `ProofError`. */
export const readAccountLeaf = (
  stateRoot: Uint8Array,
  address: Uint8Array,
  nodes: readonly Uint8Array[],
): Uint8Array => readTrieProof(stateRoot, keccak256(address), nodes) ?? emptyBytes

/** Decodes a leaf; what is empty is an account that is not there. */
export const accountOf = (leaf: Uint8Array): AccountView =>
  leaf.length === 0 ? noAccount : decoded(() => decodeAccountLeaf(leaf))

/** Returns a slot under the storage root of an account, of 32 bytes; empty if it is proven to be zero. Throws a `ProofError`. */
export const readSlot = (
  storageRoot: Uint8Array,
  slot: Uint8Array,
  nodes: readonly Uint8Array[],
): Uint8Array => {
  const stored = readTrieProof(storageRoot, keccak256(slot), nodes)
  return stored === undefined ? emptyBytes : slotWord(stored)
}

/** Returns the 32 bytes of a slot as the trie has it. Throws a `ProofError`. */
export const slotWord = (stored: Uint8Array): Uint8Array => {
  const value = decoded(() => decodeRlp(stored))
  if (!(value instanceof Uint8Array) || value.length > 32) throw new ProofError('it has an invalid slot')
  return concatBytes(new Uint8Array(32 - value.length), value)
}

const dataOf = (operation: Operation | undefined, type: string, key: Uint8Array): Uint8Array => {
  if (operation?.type !== type) throw new ProofError('it is of another kind')
  if (!equalBytes(operation.key, key)) throw new ProofError('it is for another key')
  return operation.data
}

const stateRootOf = (operation: Operation | undefined, appHash: Uint8Array): Uint8Array => {
  const header = dataOf(operation, storeProofs.header, storeProofs.headerKey)
  if (header.length > maxHeaderBytes) throw new ProofError('its header is too long')
  if (!equalBytes(keccak256(header), appHash)) throw new ProofError('it leads to another AppHash')
  return decoded(() => decodeHeader(header)).stateRoot
}

/**
 * Throws a `ProofError` unless a key of a Perihelion chain has this value (empty: is not there) in the state that an AppHash
 * commits to: a slot by the storage root of its account, the account by the state root of the header, whose hash the AppHash is.
 */
export const verifyTrieValue = (
  { value, operations }: Pick<ProvenValue, 'value' | 'operations'>,
  store: string,
  key: Uint8Array,
  appHash: Uint8Array,
): void => {
  const [address, slot] = [key.subarray(1, 21), store === 'evm' ? key.subarray(21) : undefined]
  const [inHeader, inState, inStorage, ...others] = operations.toReversed()
  if (others.length > 0 || (inStorage === undefined) !== (slot === undefined))
    throw new ProofError('it has not as many parts as it needs')
  const nodesOf = (operation: Operation | undefined, of: Uint8Array): readonly Uint8Array[] =>
    decodeTrieNodes(dataOf(operation, storeProofs.trie, of))
  const leaf = readAccountLeaf(stateRootOf(inHeader, appHash), address, nodesOf(inState, address))
  const proven =
    slot === undefined ? leaf : readSlot(accountOf(leaf).storageRoot, slot, nodesOf(inStorage, slot))
  if (!equalBytes(proven, value)) throw new ProofError('it is for another value')
}
