import { equalBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/crypto.ts'
import { toHex } from '../../base/hex.ts'
import { checkTransaction } from '../../chain/transaction/rules.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import {
  type RecoveredTransaction,
  TransactionError,
  type TransactionFault,
} from '../../chain/transaction/types.ts'
import { codes, type NativeFault } from '../../cosmos/codes.ts'
import { perihelionDialect } from '../../cosmos/transaction/dialect.ts'
import { decodeProposerEntry } from '../../cosmos/transaction/proposerEntry.ts'
import { unwrapTransaction } from '../../cosmos/transaction/unwrap.ts'
import type { NativeTransaction } from '../../cosmos/transaction/wrap.ts'
import type { ProposalRules } from './rules.ts'

/** The entries of a block as the engine has them, read one by one: a bad one is an answer, never an error. */

/** Senders that were recovered before, by hash as DATA: the hash covers the signature. */
export type KnownSenders = ReadonlyMap<string, Uint8Array>

type Found<T> =
  | { readonly found: T; readonly fault?: undefined }
  | { readonly fault: NativeFault; readonly found?: undefined }

/** A native transaction whose fields are in order; who signed it is not looked at yet. */
export interface OpenedNative extends NativeTransaction {
  readonly hash: Uint8Array
}

const codeOfFault: Readonly<Record<TransactionFault, NativeFault['code']>> = {
  encoding: codes.malformed,
  type: codes.invalidType,
  signature: codes.wrongSigner,
  chainId: codes.invalidChainId,
  nonce: codes.wrongSequence,
  fee: codes.insufficientFee,
  gas: codes.invalidGasLimit,
  initCode: codes.tooLarge,
  blobs: codes.notSupported,
  authorizations: codes.invalidRequest,
}

const noBlobs: NativeFault = {
  code: codes.notSupported,
  message: 'blob transactions are not accepted: no sidecar travels with a block',
}

/** All that can be said of an entry without a signature or the state. */
export const openNative = (bytes: Uint8Array, { fork, chainId }: ProposalRules): Found<OpenedNative> => {
  const { native, fault } = unwrapTransaction(bytes, perihelionDialect)
  if (fault !== undefined) return { fault }
  if (native.transaction.type === 3) return { fault: noBlobs }
  try {
    checkTransaction(native.transaction, fork, chainId)
  } catch (error) {
    if (error instanceof TransactionError)
      return { fault: { code: codeOfFault[error.fault], message: error.message } }
    throw error
  }
  return { found: { ...native, hash: keccak256(native.raw) } }
}

/** The signer, who has to be the one that the wrapper names. */
export const identify = (
  { transaction, raw, hash, from }: OpenedNative,
  { fork }: ProposalRules,
  known: KnownSenders,
): Found<RecoveredTransaction> => {
  const sender = known.get(toHex(hash)) ?? recoverSender(transaction, fork)
  if (sender === undefined)
    return {
      fault: { code: codes.wrongSigner, message: 'invalid sender: invalid transaction v, r, s values' },
    }
  if (!equalBytes(sender, from))
    return {
      fault: {
        code: codes.wrongSigner,
        message: `invalid sender: signed by ${toHex(sender)}, not ${toHex(from)}`,
      },
    }
  return { found: { transaction, raw, hash, sender } }
}

export type DecodedEntry =
  | { readonly kind: 'proposer' }
  | { readonly kind: 'candidate'; readonly candidate: RecoveredTransaction }
  | { readonly kind: 'fault'; readonly fault: NativeFault }

export interface DecodedBlock {
  /** Receives the tips: zero where the block does not say, which no proposal gets away with. */
  readonly beneficiary: Uint8Array
  /** One for each of the block's entries. */
  readonly entries: readonly DecodedEntry[]
}

/** Reads a block that is decided: whatever is in it, every node must come to the same. */
export const decodeDecided = (
  natives: readonly Uint8Array[],
  rules: ProposalRules,
  known: KnownSenders,
): DecodedBlock => {
  const proposer = natives[0] && decodeProposerEntry(natives[0])
  const isNamed = proposer?.height === rules.height
  return {
    beneficiary: isNamed ? proposer.reward : new Uint8Array(20),
    entries: natives.map((bytes, index) =>
      isNamed && index === 0 ? { kind: 'proposer' } : decodeEntry(bytes, rules, known),
    ),
  }
}

const decodeEntry = (bytes: Uint8Array, rules: ProposalRules, known: KnownSenders): DecodedEntry => {
  const opened = openNative(bytes, rules)
  const { found, fault } = opened.found ? identify(opened.found, rules, known) : opened
  return found ? { kind: 'candidate', candidate: found } : { kind: 'fault', fault }
}
