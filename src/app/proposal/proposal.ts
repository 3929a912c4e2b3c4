import { toHex } from '../../base/encoding/hex.ts'
import type { RecoveredTransaction } from '../../chain/transaction/types.ts'
import { perihelionDialect } from '../../cosmos/transaction/dialect.ts'
import { decodeProposerEntry, encodeProposerEntry } from '../../cosmos/transaction/proposerEntry.ts'
import { maxNativeBytes } from '../../cosmos/transaction/unwrap.ts'
import { wrapTransaction } from '../../cosmos/transaction/wrap.ts'
import { type DecodedNative, decodeNative, type RecoveredSenders, recoverCandidate } from './nativeBlock.ts'
import { maxBlockEntries, maxBlockTransactionBytes, type ProposalRules } from './rules.ts'

export interface ProposalOptions {
  readonly height: bigint
  /** The recipient of the block's tips. */
  readonly reward: Uint8Array
  readonly gasLimit: bigint
  /** The maximum size of the entries with the engine's framing (RequestPrepareProposal.max_tx_bytes). */
  readonly maxBytes: number
}

/** The least gas of a transaction. */
const transferGas = 21_000n

/** Returns the size of an entry in the engine's block: a tag, the length as a varint, and the bytes. */
const framedLength = ({ length }: Uint8Array): number => {
  let bytes = 2
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++
  return bytes + length
}

/**
 * Returns the entries of a block: the proposer entry, then the candidates in order as far as they fit. Nothing is
 * executed. After a candidate that does not fit, the rest of its sender is skipped, because it cannot run without it.
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
    if (!fits || native.length > maxNativeBytes || transaction.type === 3) {
      ended.add(toHex(sender))
      continue
    }
    entries.push(native)
    gas -= transaction.gasLimit
    bytes -= length
    rawBytes -= raw.length
    if (gas < transferGas || entries.length === maxBlockEntries) break
  }
  return entries
}

export type ProposalResult =
  /** The recovered senders are kept, so that the block needs no second recovery when it is decided. */
  | { readonly accepted: true; readonly senders: RecoveredSenders }
  | { readonly accepted: false; readonly reason: string }

/**
 * Checks whether a block with these entries may be accepted: the proposer entry comes first, every other entry is a
 * canonical, signed transaction of this chain, none comes twice, and all are within the block's gas. The state does not
 * matter: transactions that it makes invalid are not included in the Ethereum block when the block is decided.
 */
export const processProposal = (natives: readonly Uint8Array[], rules: ProposalRules): ProposalResult => {
  if (natives.length > maxBlockEntries)
    return rejected(`${natives.length} entries are more than ${maxBlockEntries}`)
  const [first, ...others] = natives
  const proposer = first && decodeProposerEntry(first)
  if (proposer === undefined) return rejected('the first entry does not name the proposer')
  if (proposer.height !== rules.height)
    return rejected(`the proposer is named for height ${proposer.height}, not ${rules.height}`)
  const decoded: DecodedNative[] = []
  const hashes = new Set<string>()
  let gas = 0n
  let rawBytes = 0
  for (const [index, bytes] of others.entries()) {
    const { found, rejection } = decodeNative(bytes, rules)
    if (rejection !== undefined) return rejected(`entry ${index + 1}: ${rejection.message}`)
    gas += found.transaction.gasLimit
    rawBytes += found.raw.length
    if (gas > rules.gasLimit) return rejected(`entry ${index + 1}: gas of the block over ${rules.gasLimit}`)
    if (rawBytes > maxBlockTransactionBytes)
      return rejected(`entry ${index + 1}: transactions over ${maxBlockTransactionBytes} bytes`)
    const { size } = hashes
    if (hashes.add(toHex(found.hash)).size === size) return rejected(`entry ${index + 1}: comes twice`)
    decoded.push(found)
  }
  return recoverAll(decoded, rules)
}

const rejected = (reason: string): ProposalResult => ({ accepted: false, reason })

/** Recovers all senders. This is the last check, because it is the most expensive. */
const recoverAll = (decoded: readonly DecodedNative[], rules: ProposalRules): ProposalResult => {
  const senders = new Map<string, Uint8Array>()
  for (const [index, native] of decoded.entries()) {
    const { found, rejection } = recoverCandidate(native, rules, senders)
    if (rejection !== undefined) return rejected(`entry ${index + 1}: ${rejection.message}`)
    senders.set(toHex(found.hash), found.sender)
  }
  return { accepted: true, senders }
}
