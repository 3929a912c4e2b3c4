import { toHex } from '../../base/hex.ts'
import type { RecoveredTransaction } from '../../chain/transaction/types.ts'
import { perihelionDialect } from '../../cosmos/transaction/dialect.ts'
import { decodeProposerEntry, encodeProposerEntry } from '../../cosmos/transaction/proposerEntry.ts'
import { wrapTransaction } from '../../cosmos/transaction/wrap.ts'
import { identify, type KnownSenders, type OpenedNative, openNative } from './nativeBlock.ts'
import { maxBlockTransactionBytes, type ProposalRules } from './rules.ts'

export interface ProposalOptions {
  readonly height: bigint
  /** Receives the tips of the block. */
  readonly reward: Uint8Array
  readonly gasLimit: bigint
  /** Of the entries as the engine frames them (RequestPrepareProposal.max_tx_bytes). */
  readonly maxBytes: number
}

/** The least that a transaction costs. */
const transferGas = 21_000n

/** An entry in the engine's block: a tag, the length as a varint, the bytes. */
const framedLength = ({ length }: Uint8Array): number => {
  let bytes = 2
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++
  return bytes + length
}

/**
 * The entries of a block: who proposes it, then the candidates in their order as far as they fit. Nothing is executed.
 * One that does not fit ends its sender's part, since those behind it cannot run without it.
 */
export const prepareProposal = (
  { height, reward, gasLimit, maxBytes }: ProposalOptions,
  candidates: Iterable<Omit<RecoveredTransaction, 'hash'>>,
): Uint8Array[] => {
  const entry = encodeProposerEntry({ height, reward })
  const entries = [entry]
  const ended = new Set<string>()
  let gas = gasLimit
  let bytes = maxBytes - framedLength(entry)
  let rawBytes = maxBlockTransactionBytes
  for (const { transaction, raw, sender } of candidates) {
    if (ended.has(toHex(sender))) continue
    const native = wrapTransaction({ transaction, raw, from: sender }, perihelionDialect)
    const length = framedLength(native)
    const fits = transaction.gasLimit <= gas && length <= bytes && raw.length <= rawBytes
    if (!fits || transaction.type === 3) {
      ended.add(toHex(sender))
      continue
    }
    entries.push(native)
    gas -= transaction.gasLimit
    bytes -= length
    rawBytes -= raw.length
    if (gas < transferGas) break
  }
  return entries
}

export type Verdict =
  /** With the senders that were recovered for it, so that the block, once decided, needs no second recovery. */
  | { readonly accepted: true; readonly senders: KnownSenders }
  | { readonly accepted: false; readonly reason: string }

/**
 * Whether a block with these entries may be voted for: the proposer named first, every other entry a canonical, signed
 * transaction of this chain, none twice, all within the block's gas. State plays no part: what it forbids is left out
 * of the Ethereum block when the block is decided.
 */
export const processProposal = (natives: readonly Uint8Array[], rules: ProposalRules): Verdict => {
  const [first, ...others] = natives
  const proposer = first && decodeProposerEntry(first)
  if (proposer === undefined) return refused('the first entry does not name the proposer')
  if (proposer.height !== rules.height)
    return refused(`the proposer is named for height ${proposer.height}, not ${rules.height}`)
  const opened: OpenedNative[] = []
  const hashes = new Set<string>()
  let gas = 0n
  let rawBytes = 0
  for (const [index, bytes] of others.entries()) {
    const { found, fault } = openNative(bytes, rules)
    if (fault !== undefined) return refused(`entry ${index + 1}: ${fault.message}`)
    gas += found.transaction.gasLimit
    rawBytes += found.raw.length
    if (gas > rules.gasLimit) return refused(`entry ${index + 1}: gas of the block over ${rules.gasLimit}`)
    if (rawBytes > maxBlockTransactionBytes)
      return refused(`entry ${index + 1}: transactions over ${maxBlockTransactionBytes} bytes`)
    const { size } = hashes
    if (hashes.add(toHex(found.hash)).size === size) return refused(`entry ${index + 1}: comes twice`)
    opened.push(found)
  }
  return recoverAll(opened, rules)
}

const refused = (reason: string): Verdict => ({ accepted: false, reason })

/** Last, since signatures are what costs. */
const recoverAll = (opened: readonly OpenedNative[], rules: ProposalRules): Verdict => {
  const senders = new Map<string, Uint8Array>()
  for (const [index, native] of opened.entries()) {
    const { found, fault } = identify(native, rules, senders)
    if (fault !== undefined) return refused(`entry ${index + 1}: ${fault.message}`)
    senders.set(toHex(found.hash), found.sender)
  }
  return { accepted: true, senders }
}
