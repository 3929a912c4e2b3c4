import { intrinsicGas } from '../../chain/transaction/transactionRules.ts'
import { readMempoolError } from '../../comet/data/mempoolErrors.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { reject } from '../../pool/admission/rejections.ts'
import { maxTransactionBytes } from '../../pool/admission/submission.ts'
import type { PoolHead, PoolTransaction } from '../../pool/types.ts'
import type { SenderAccount } from './senderAccounts.ts'

/** CometBFT's response to `broadcast_tx_sync`. */
export interface BroadcastResponse {
  readonly code: number
  readonly codespace: string
  readonly log: string
}

/** The meaning of a broadcast response. This file is the only one that knows the texts of each chain. */
export type BroadcastOutcome =
  | { readonly kind: 'taken' }
  /** The node has seen the same bytes before: they are in its mempool, or were rejected a moment ago. */
  | { readonly kind: 'known' }
  /** The node lacks transactions of the sender with lower nonces. */
  | { readonly kind: 'gap' }
  /** A transaction of the sender with this nonce is in a block, or waits for one. */
  | { readonly kind: 'nonce used' }
  | { readonly kind: 'full' }
  | { readonly kind: 'refused'; readonly code: number; readonly text: string }
  /**
   * There is no response, or none about the transaction: it may have been accepted. `wasAnswered` is set if a node
   * answered something.
   */
  | { readonly kind: 'unanswered'; readonly text: string; readonly wasAnswered?: boolean }

const known = /already seen|already exists in cache|already known|already in mempool/i
/** Go's texts for a check that an application gave up (cosmos/evm with an app mempool), while the transaction is queued. */
const gaveUp = /context (?:deadline exceeded|canceled)/
const gap = /nonce is higher than|nonce too high|nonce gap/i
const used = /nonce is lower than|nonce too low/i
const full = /mempool is full|pool is full|queue (is )?full|considered as full/i
const overBlockGasLimit = /exceeds block gas limit/i
/** The texts for a wrong nonce: Ethermint has one for both directions, and the SDK has another. */
const sequences = [
  /invalid nonce; got (?<got>\d+), expected (?<expected>\d+)/,
  /sequence mismatch, expected (?<expected>\d+), got (?<got>\d+)/,
]

/** How much of a node's text is read: some patterns take time that grows with the square of its length. */
const mostRead = 4_096

/** Codes of the Cosmos SDK in the codespace `sdk`. */
const sdk = { funds: 5, outOfGas: 11, fee: 13, inCache: 19, full: 20, tooLarge: 21, signer: 24 } as const

const classifyText = (text: string): BroadcastOutcome | undefined => {
  if (known.test(text)) return { kind: 'known' }
  if (gap.test(text)) return { kind: 'gap' }
  if (used.test(text)) return { kind: 'nonce used' }
  if (full.test(text)) return { kind: 'full' }
  const groups = sequences.map((pattern) => pattern.exec(text)?.groups).find((found) => found !== undefined)
  if (groups === undefined) return undefined
  return { kind: BigInt(groups.got ?? 0) > BigInt(groups.expected ?? 0) ? 'gap' : 'nonce used' }
}

export const classifyResponse = ({ code, codespace, log: given }: BroadcastResponse): BroadcastOutcome => {
  if (code === 0) return { kind: 'taken' }
  const log = given.slice(0, mostRead)
  const sdkCode = codespace === 'sdk' ? code : undefined
  if (sdkCode === sdk.inCache) return { kind: 'known' }
  if (sdkCode === sdk.full) return { kind: 'full' }
  if (gaveUp.test(log)) return { kind: 'unanswered', text: log, wasAnswered: true }
  return classifyText(log) ?? { kind: 'refused', code: sdkCode ?? 0, text: log }
}

/** Returns the meaning of an error. Only the known texts of CometBFT's mempool say that it rejected the transaction. */
export const classifyError = (error: unknown): BroadcastOutcome => {
  const text = (error instanceof Error ? error.message : String(error)).slice(0, mostRead)
  const found = readMempoolError(text)
  switch (found?.kind) {
    case 'checked':
      return classifyResponse(found)
    case 'seen':
      return { kind: 'known' }
    case 'full':
      return { kind: 'full' }
    case 'too large':
      return { kind: 'refused', code: sdk.tooLarge, text }
    case 'excluded':
      return { kind: 'refused', code: 0, text }
    case 'closed':
    case undefined: {
      const wasAnswered = error instanceof NativeQueryError && error.kind !== 'unavailable'
      return { kind: 'unanswered', text, wasAnswered }
    }
  }
}

/**
 * Returns whether a rejection cannot be true at the head. A node that has just started rejects everything for seconds,
 * because it has not loaded the limit of a block yet.
 */
export const isContradicted = (
  { text }: Extract<BroadcastOutcome, { kind: 'refused' }>,
  { transaction }: PoolTransaction,
  head: PoolHead,
): boolean => overBlockGasLimit.test(text) && transaction.gasLimit <= head.gasLimit

interface RejectionContext {
  readonly tx: PoolTransaction
  /** The account of the sender as of now; undefined if the chain does not answer. */
  readonly account: SenderAccount | undefined
  readonly head: PoolHead
}

/** Parses `(have < needed)`, as ante handlers write it. */
const comparison = (text: string): { readonly have: bigint; readonly needed: bigint } | undefined => {
  const found = /\((\d+) < (\d+)\)/.exec(text) ?? /got: (\d+)\D*(?:minimum )?required: (\d+)/.exec(text)
  return found === null ? undefined : { have: BigInt(found[1] as string), needed: BigInt(found[2] as string) }
}

/** Returns the text of geth for a rejection by the chain, with the numbers that the chain omits. */
export const toGethError = (
  { code, text }: Extract<BroadcastOutcome, { kind: 'refused' }>,
  { tx, account, head }: RejectionContext,
): string => {
  const { transaction, sender } = tx
  const says = (pattern: RegExp): boolean => pattern.test(text)
  const figures = comparison(text)
  if (code === sdk.funds || says(/insufficient funds/i)) {
    const balance = account !== undefined && account.balance < tx.cost ? account.balance : figures?.have
    return balance === undefined || balance >= tx.cost
      ? 'insufficient funds for gas * price + value'
      : reject('insufficientFunds', balance, tx.cost).message
  }
  if (says(/intrinsic gas too low$/i)) {
    const { gasLimit } = transaction
    return reject('intrinsicGasTooLow', gasLimit, intrinsicGas(transaction, head.fork)).message
  }
  if (says(overBlockGasLimit)) return reject('overBlockGasLimit').message
  if (says(/replacement transaction underpriced/i)) return reject('replacementUnderpriced').message
  if (says(/less than block base fee|gas prices? too low/i))
    return reject('belowBaseFee', sender, tx.feeCap, figures?.needed ?? head.baseFee).message
  if (code === sdk.fee || says(/minimum global fee|insufficient fee|underpriced/i)) {
    if (figures === undefined) return reject('underpriced').message
    const gas = transaction.gasLimit === 0n ? 1n : transaction.gasLimit
    const needed = (figures.needed + gas - 1n) / gas
    return reject('belowMinimumPrice', 'gas fee cap', tx.feeCap, needed).message
  }
  if (code === sdk.tooLarge || says(/oversized data|tx too large/i))
    return reject('oversized', tx.size, maxTransactionBytes).message
  if (says(/chain[ -]id/i) && transaction.chainId !== undefined && transaction.chainId !== head.chainId)
    return reject('wrongChainId', transaction.chainId, head.chainId).message
  if (code === sdk.signer || says(/^invalid sender|intended signer|signature verification failed/i))
    return reject('invalidSender').message
  if (says(/not an? ?eoa|not eoa/i)) return reject('senderIsContract', sender).message
  if (says(/transaction type not supported/i)) return reject('typeNotSupported').message
  if (code === sdk.outOfGas) return reject('overBlockGasLimit').message
  return stripTransportPrefixes(text)
}

const maxText = 512

/** Removes the prefixes that transports and error libraries add to an error text. */
export const stripTransportPrefixes = (text: string): string => {
  const bare = text
    .slice(0, mostRead)
    .replace(/^(?:rpc error: code = \w+ desc = )+/, '')
    .replace(/\s*\[[^\]\s]+\.go:\d+\](?:.*)$/s, '')
    .replace(/(?:: (?:invalid request|invalid type|tx parse error|internal logic error))+$/, '')
    .trim()
  return bare === '' ? 'transaction rejected by the chain' : bare.slice(0, maxText)
}
