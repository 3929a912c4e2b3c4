import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import {
  type RecoveredTransaction,
  type Transaction,
  TransactionError,
  type TransactionErrorKind,
} from '../../chain/transaction/transaction.ts'
import { checkTransaction } from '../../chain/transaction/transactionRules.ts'
import { codes, type NativeRejection } from '../../cosmos/codes.ts'
import { perihelionDialect } from '../../cosmos/transaction/dialect.ts'
import { decodeProposerEntry } from '../../cosmos/transaction/proposerEntry.ts'
import { unwrapTransaction } from '../../cosmos/transaction/unwrap.ts'
import type { NativeTransaction } from '../../cosmos/transaction/wrap.ts'
import type { ProposalRules } from './rules.ts'

/** Decodes the entries of a native block one by one. An invalid entry gives a rejection, never an exception. */

/** Senders that were recovered before, by transaction hash in hex. The hash covers the signature. */
export type RecoveredSenders = Pick<ReadonlyMap<string, Uint8Array>, 'get'>

type DecodeResult<T> =
  | { readonly found: T; readonly rejection?: undefined }
  | { readonly rejection: NativeRejection; readonly found?: undefined }

/** A native transaction whose fields are valid; its signature is not checked yet. */
export interface DecodedNative extends NativeTransaction {
  readonly hash: Uint8Array
}

const codeOfError: Readonly<Record<TransactionErrorKind, NativeRejection['code']>> = {
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

const noBlobs: NativeRejection = {
  code: codes.notSupported,
  message: 'blob transactions are not accepted: no sidecar travels with a block',
}

/** Decodes an entry. Whether the block's rules allow it is a different question. */
export const decodeNative = (bytes: Uint8Array): DecodeResult<DecodedNative> => {
  const { native, rejection } = unwrapTransaction(bytes, perihelionDialect)
  return rejection === undefined ? { found: { ...native, hash: keccak256(native.raw) } } : { rejection }
}

/**
 * Makes all checks of a block's rules that need neither the sender nor the state: the one place that says which
 * transactions a block may hold.
 */
export const checkRules = (
  transaction: Transaction,
  { fork, chainId, limits }: ProposalRules,
): NativeRejection | undefined => {
  if (transaction.type === 3) return noBlobs
  try {
    checkTransaction(transaction, fork, chainId, limits)
  } catch (error) {
    if (error instanceof TransactionError) return { code: codeOfError[error.kind], message: error.message }
    throw error
  }
  return undefined
}

/** Recovers the sender, which must be the one in the wrapper. */
export const recoverCandidate = (
  { transaction, raw, hash, from }: DecodedNative,
  { fork }: ProposalRules,
  senders: RecoveredSenders,
): DecodeResult<RecoveredTransaction> => {
  const sender = senders.get(toHex(hash)) ?? recoverSender(transaction, fork)
  if (sender === undefined)
    return {
      rejection: { code: codes.wrongSigner, message: 'invalid sender: invalid transaction v, r, s values' },
    }
  if (!equalBytes(sender, from))
    return {
      rejection: {
        code: codes.wrongSigner,
        message: `invalid sender: signed by ${toHex(sender)}, not ${toHex(from)}`,
      },
    }
  return { found: { transaction, raw, hash, sender } }
}

export type DecodedEntry =
  | { readonly kind: 'proposer' }
  | { readonly kind: 'candidate'; readonly candidate: RecoveredTransaction }
  | { readonly kind: 'rejected'; readonly rejection: NativeRejection }

export interface DecodedBlock {
  /** The recipient of the tips; zero if the block names none, which processProposal rejects. */
  readonly beneficiary: Uint8Array
  /** One result for each of the block's entries. */
  readonly entries: readonly DecodedEntry[]
}

/** Decodes a decided block. Every node must get the same result, whatever the block contains. */
export const decodeBlockEntries = (
  natives: readonly Uint8Array[],
  rules: ProposalRules,
  senders: RecoveredSenders,
): DecodedBlock => {
  const proposer = natives[0] && decodeProposerEntry(natives[0])
  const isNamed = proposer?.height === rules.height
  return {
    beneficiary: isNamed ? proposer.reward : new Uint8Array(20),
    entries: natives.map((bytes, index) =>
      isNamed && index === 0 ? { kind: 'proposer' } : decodeEntry(bytes, rules, senders),
    ),
  }
}

const decodeEntry = (bytes: Uint8Array, rules: ProposalRules, senders: RecoveredSenders): DecodedEntry => {
  const decoded = decodeNative(bytes)
  if (decoded.found === undefined) return { kind: 'rejected', rejection: decoded.rejection }
  const forbidden = checkRules(decoded.found.transaction, rules)
  if (forbidden !== undefined) return { kind: 'rejected', rejection: forbidden }
  const { found, rejection } = recoverCandidate(decoded.found, rules, senders)
  return found ? { kind: 'candidate', candidate: found } : { kind: 'rejected', rejection }
}
