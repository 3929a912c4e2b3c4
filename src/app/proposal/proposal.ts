import { toHex } from '../../base/encoding/hex.ts'
import { varintSize } from '../../base/encoding/protobuf/protoWriter.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { perihelionDialect } from '../../cosmos/transaction/dialect.ts'
import { decodeProposerEntry, encodeProposerEntry } from '../../cosmos/transaction/proposerEntry.ts'
import { maxNativeBytes } from '../../cosmos/transaction/unwrap.ts'
import { wrapTransaction } from '../../cosmos/transaction/wrap.ts'
import { type ContentRejection, ProposalContents } from './contents.ts'
import { LikelyRoom, type LikelyUse } from './likelyRoom.ts'
import { type DecodedNative, decodeNative, type RecoveredSenders, recoverCandidate } from './nativeBlock.ts'
import { maxBlockEntries, type ProposalRules } from './rules.ts'

export interface ProposalOptions {
  /** The rules of the block, which depend on the engine's time of this very proposal. */
  readonly rules: ProposalRules
  /** The recipient of the block's tips. */
  readonly reward: Uint8Array
  /** The maximum size of the entries with the engine's framing (RequestPrepareProposal.max_tx_bytes). */
  readonly maxBytes: number
}

export interface PreparedProposal<Candidate> {
  readonly entries: readonly Uint8Array[]
  /** The candidates that the block's rules forbid, whatever else the block holds. */
  readonly forbidden: readonly { readonly candidate: Candidate; readonly reason: string }[]
}

/** Returns the size of an entry in the engine's block: a tag, the length as a varint, and the bytes. */
const framedLength = ({ length }: Uint8Array): number => 1 + varintSize(length) + length

/** What is certain: each transaction may use all of its gas limit. */
const limitAsUse: LikelyUse<RecoveredTransaction> = {
  of: ({ transaction }) => transaction.gasLimit,
  mayTry: () => false,
}

/**
 * Returns the entries of a block: the proposer entry, then the candidates in order as far as they fit and the block's
 * rules allow them. Nothing is executed: with `fullBlocks` they fit by what they are likely to use. After a candidate that
 * is left out, the rest of its sender is skipped, because it cannot run without it.
 */
export const prepareProposal = <Candidate extends RecoveredTransaction>(
  { rules, reward, maxBytes }: ProposalOptions,
  candidates: Iterable<Candidate>,
  likelyUse: LikelyUse<NoInfer<Candidate>> = limitAsUse,
): PreparedProposal<Candidate> => {
  const entry = encodeProposerEntry({ height: rules.height, reward })
  const entries = [entry]
  const forbidden: { candidate: Candidate; reason: string }[] = []
  const ended = new Set<string>()
  const contents = new ProposalContents(rules)
  const room = rules.fullBlocks ? new LikelyRoom(rules, likelyUse) : undefined
  let bytes = maxBytes - framedLength(entry)
  for (const candidate of candidates) {
    const { transaction, raw, sender } = candidate
    if (ended.has(toHex(sender))) continue
    if (room?.has(candidate) === false) {
      ended.add(toHex(sender))
      continue
    }
    const native = wrapTransaction({ transaction, raw, from: sender }, perihelionDialect)
    const rejection = checkSize(native, bytes) ?? contents.add(candidate)
    if (rejection !== undefined) {
      ended.add(toHex(sender))
      if (rejection.kind === 'forbidden') forbidden.push({ candidate, reason: rejection.message })
      continue
    }
    room?.take(candidate)
    entries.push(native)
    bytes -= framedLength(native)
    if (contents.isFull || room?.isFull === true || entries.length === maxBlockEntries) break
  }
  return { entries, forbidden }
}

/** Checks the size of an entry: what no block may hold, and what does not fit into the bytes that are left. */
const checkSize = (native: Uint8Array, bytesLeft: number): ContentRejection | undefined => {
  if (native.length > maxNativeBytes)
    return { kind: 'forbidden', message: `larger than ${maxNativeBytes} bytes` }
  return framedLength(native) > bytesLeft ? { kind: 'full', message: 'no bytes are left' } : undefined
}

export type ProposalResult =
  /** The recovered senders are kept, so that the block needs no second recovery when it is decided. */
  | { readonly accepted: true; readonly senders: ReadonlyMap<string, Uint8Array> }
  | { readonly accepted: false; readonly reason: string }

/**
 * Checks whether a block with these entries may be accepted: the proposer entry comes first, every other entry is a
 * canonical, signed transaction of this chain, none comes twice, and all are within the block's gas (`ProposalContents`). The
 * state does not matter: transactions that it makes invalid, and those that find no room, are not included in the Ethereum
 * block when the block is decided. The senders of `known` need not be recovered.
 */
export const processProposal = (
  natives: readonly Uint8Array[],
  rules: ProposalRules,
  known: RecoveredSenders = new Map(),
): ProposalResult => {
  if (natives.length > maxBlockEntries)
    return rejected(`${natives.length} entries are more than ${maxBlockEntries}`)
  const [first, ...others] = natives
  const proposer = first && decodeProposerEntry(first)
  if (proposer === undefined) return rejected('the first entry does not name the proposer')
  if (proposer.height !== rules.height)
    return rejected(`the proposer is named for height ${proposer.height}, not ${rules.height}`)
  const decoded: DecodedNative[] = []
  const contents = new ProposalContents(rules)
  for (const [index, bytes] of others.entries()) {
    const { found, rejection } = decodeNative(bytes)
    if (rejection !== undefined) return rejected(`entry ${index + 1}: ${rejection.message}`)
    const reason = contents.add(found)
    if (reason !== undefined) return rejected(`entry ${index + 1}: ${reason.message}`)
    decoded.push(found)
  }
  return recoverAll(decoded, rules, known)
}

const rejected = (reason: string): ProposalResult => ({ accepted: false, reason })

/** Recovers all senders that are not known. This is the last check, because it is the most expensive. */
const recoverAll = (
  decoded: readonly DecodedNative[],
  rules: ProposalRules,
  known: RecoveredSenders,
): ProposalResult => {
  const senders = new Map<string, Uint8Array>()
  for (const [index, native] of decoded.entries()) {
    const { found, rejection } = recoverCandidate(native, rules, known)
    if (rejection !== undefined) return rejected(`entry ${index + 1}: ${rejection.message}`)
    senders.set(toHex(found.hash), found.sender)
  }
  return { accepted: true, senders }
}
