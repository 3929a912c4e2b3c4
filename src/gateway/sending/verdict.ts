import { intrinsicGas } from '../../chain/transaction/rules.ts'
import { refuse } from '../../pool/admission/refusals.ts'
import { maxTransactionBytes } from '../../pool/admission/submission.ts'
import type { PoolHead, PoolTransaction } from '../../pool/types.ts'
import { NativeQueryError } from '../client/nativeQueries.ts'
import type { SenderAccount } from './senderAccounts.ts'

/** What CometBFT's `broadcast_tx_sync` says of a transaction. */
export interface BroadcastAnswer {
  readonly code: number
  readonly codespace: string
  readonly log: string
}

/** What an answer means; which words of which chain mean it is said here and nowhere else. */
export type Verdict =
  | { readonly kind: 'taken' }
  /** The node has seen these very bytes: they wait there, or were refused a moment ago. */
  | { readonly kind: 'known' }
  /** The node misses transactions of the sender that come first. */
  | { readonly kind: 'gap' }
  /** Something of the sender with this nonce is in a block, or waits for one. */
  | { readonly kind: 'nonce used' }
  | { readonly kind: 'full' }
  | { readonly kind: 'refused'; readonly code: number; readonly text: string }
  /** No answer, or none about the transaction: it may have been taken. */
  | { readonly kind: 'unanswered'; readonly text: string }

const known = /already seen|already exists in cache|already known|already in mempool/i
const gap = /nonce is higher than|nonce too high|nonce gap/i
const used = /nonce is lower than|nonce too low/i
const full = /mempool is full|pool is full|queue (is )?full|considered as full/i
/** Ethermint's one text for both directions, and the SDK's own. */
const sequences = [
  /invalid nonce; got (?<got>\d+), expected (?<expected>\d+)/,
  /sequence mismatch, expected (?<expected>\d+), got (?<got>\d+)/,
]

/** The Cosmos SDK's codes of its own codespace. */
const sdk = { funds: 5, outOfGas: 11, fee: 13, inCache: 19, full: 20, tooLarge: 21, signer: 24 } as const

const ofText = (text: string): Verdict | undefined => {
  if (known.test(text)) return { kind: 'known' }
  if (gap.test(text)) return { kind: 'gap' }
  if (used.test(text)) return { kind: 'nonce used' }
  if (full.test(text)) return { kind: 'full' }
  const groups = sequences.map((pattern) => pattern.exec(text)?.groups).find((found) => found !== undefined)
  if (groups === undefined) return undefined
  return { kind: BigInt(groups.got ?? 0) > BigInt(groups.expected ?? 0) ? 'gap' : 'nonce used' }
}

export const readAnswer = ({ code, codespace, log }: BroadcastAnswer): Verdict => {
  if (code === 0) return { kind: 'taken' }
  const sdkCode = codespace === 'sdk' ? code : undefined
  if (sdkCode === sdk.inCache) return { kind: 'known' }
  if (sdkCode === sdk.full) return { kind: 'full' }
  return ofText(log) ?? { kind: 'refused', code: sdkCode ?? 0, text: log }
}

/** An error in place of an answer: CometBFT's own mempool speaks so, and so does a node that is not there. */
export const readFailure = (error: unknown): Verdict => {
  const text = error instanceof Error ? error.message : String(error)
  if (/tx too large/i.test(text)) return { kind: 'refused', code: sdk.tooLarge, text }
  const isRefusal = error instanceof NativeQueryError && error.fault === 'refused'
  return ofText(text) ?? (isRefusal ? { kind: 'refused', code: 0, text } : { kind: 'unanswered', text })
}

interface Circumstances {
  readonly tx: PoolTransaction
  /** As of now; undefined where the chain does not answer. */
  readonly account: SenderAccount | undefined
  readonly head: PoolHead
}

/** `(have < needed)` as ante handlers write it. */
const comparison = (text: string): { readonly have: bigint; readonly needed: bigint } | undefined => {
  const found = /\((\d+) < (\d+)\)/.exec(text) ?? /got: (\d+)\D*(?:minimum )?required: (\d+)/.exec(text)
  return found === null ? undefined : { have: BigInt(found[1] as string), needed: BigInt(found[2] as string) }
}

/** The refusal of a chain in geth's words, with the figures that the chain leaves out. */
export const explainRefusal = (
  { code, text }: Extract<Verdict, { kind: 'refused' }>,
  { tx, account, head }: Circumstances,
): string => {
  const { transaction, sender } = tx
  const says = (pattern: RegExp): boolean => pattern.test(text)
  const figures = comparison(text)
  if (code === sdk.funds || says(/insufficient funds/i)) {
    const balance = account !== undefined && account.balance < tx.cost ? account.balance : figures?.have
    return balance === undefined || balance >= tx.cost
      ? 'insufficient funds for gas * price + value'
      : refuse('insufficientFunds', balance, tx.cost).message
  }
  if (says(/intrinsic gas too low$/i)) {
    const { gasLimit } = transaction
    return refuse('intrinsicGasTooLow', gasLimit, intrinsicGas(transaction, head.fork)).message
  }
  if (says(/exceeds block gas limit/i)) return refuse('overBlockGasLimit').message
  if (says(/replacement transaction underpriced/i)) return refuse('replacementUnderpriced').message
  if (says(/less than block base fee|gas prices? too low/i))
    return refuse('belowBaseFee', sender, tx.feeCap, figures?.needed ?? head.baseFee).message
  if (code === sdk.fee || says(/minimum global fee|insufficient fee|underpriced/i)) {
    if (figures === undefined) return refuse('underpriced').message
    const gas = transaction.gasLimit === 0n ? 1n : transaction.gasLimit
    const needed = (figures.needed + gas - 1n) / gas
    return refuse('belowMinimumPrice', 'gas fee cap', tx.feeCap, needed).message
  }
  if (code === sdk.tooLarge || says(/oversized data|tx too large/i))
    return refuse('oversized', tx.size, maxTransactionBytes).message
  if (says(/chain[ -]id/i) && transaction.chainId !== undefined && transaction.chainId !== head.chainId)
    return refuse('wrongChainId', transaction.chainId, head.chainId).message
  if (code === sdk.signer || says(/^invalid sender|intended signer|signature verification failed/i))
    return refuse('invalidSender').message
  if (says(/not an? ?eoa|not eoa/i)) return refuse('senderIsContract', sender).message
  if (says(/transaction type not supported/i)) return refuse('typeNotSupported').message
  if (code === sdk.outOfGas) return refuse('overBlockGasLimit').message
  return clean(text)
}

const maxText = 512

/** Without what transports and error libraries put around the words. */
export const clean = (text: string): string => {
  const bare = text
    .replace(/^(?:rpc error: code = \w+ desc = )+/, '')
    .replace(/\s*\[[^\]\s]+\.go:\d+\](?:.*)$/s, '')
    .replace(/(?:: (?:invalid request|invalid type|tx parse error|internal logic error))+$/, '')
    .trim()
  return bare === '' ? 'transaction refused by the chain' : bare.slice(0, maxText)
}
