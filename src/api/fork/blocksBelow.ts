import { fromHex, toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { ChainFork } from '../../chain/port/fork.ts'
import { unavailable } from '../../rpc/errors.ts'

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null

/** A block of the remote, in the form in which the remote is asked for it. */
export interface RemoteBlock {
  readonly param: unknown
  /** Its number; undefined for one that is named by a hash that is not known here. */
  readonly number: number | undefined
  readonly hash: string | undefined
}

/** Which blocks are the remote's: all up to the fork block, or only those below it, because its state may be changed here. */
export type Share = 'up to the fork' | 'below the fork'

/** Returns the block that a parameter names if it is the remote's, and undefined if it is one of this chain. */
export const findRemoteBlock = (
  chain: Chain,
  fork: ChainFork,
  given: unknown,
  share: Share,
): RemoteBlock | undefined => {
  const last = share === 'up to the fork' ? fork.number : fork.number - 1
  // An object may say more than which block it is.
  const named = (blockNumber: string): unknown => (isObject(given) ? { ...given, blockNumber } : blockNumber)
  const byNumber = (number: number): RemoteBlock | undefined =>
    number <= last ? { param: named(toQuantity(number)), number, hash: undefined } : undefined
  const text = isObject(given) ? (given.blockHash ?? given.blockNumber) : given
  if (typeof text === 'number') return byNumber(text)
  if (typeof text !== 'string' || text === 'latest' || text === 'safe' || text === 'finalized')
    return byNumber(chain.head().number)
  if (text === 'pending') return undefined
  if (text === 'earliest') return byNumber(0)
  if (text.length !== 66) return byNumber(Number(text))
  const known = chain.blocks.resolve({ kind: 'hash', hash: fromHex(text), requireCanonical: true })
  if (typeof known === 'number') return byNumber(known) && { param: text, number: known, hash: text }
  return { param: given, number: undefined, hash: text.toLowerCase() }
}

/** Returns the number of a block or transaction in a response of the remote; undefined if it is in no block of this chain. */
export const numberInAnswer = (answer: unknown, member: string, fork: ChainFork): number | undefined => {
  const text = isObject(answer) ? answer[member] : undefined
  if (text === undefined || text === null) return undefined
  if (typeof text !== 'string' || !/^0x[0-9a-fA-F]{1,13}$/.test(text))
    throw unavailable(`the remote ${fork.url} answers a malformed ${member}`)
  const number = Number(text)
  return number <= fork.number ? number : undefined
}

/** Throws if a block is not the one that was requested, or the fork block is another one by now. */
export const checkBlockAnswer = (answer: unknown, asked: RemoteBlock, fork: ChainFork): void => {
  const number = numberInAnswer(answer, 'number', fork)
  const hash = isObject(answer) ? answer.hash : undefined
  if (typeof hash !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(hash))
    throw unavailable(`the remote ${fork.url} answers a block without its hash`)
  const isOther =
    (asked.number !== undefined && number !== asked.number) ||
    (asked.hash !== undefined && hash.toLowerCase() !== asked.hash.toLowerCase())
  if (isOther) throw unavailable(`the remote ${fork.url} answers with another block than the requested one`)
  if (number === fork.number && hash.toLowerCase() !== toHex(fork.hash))
    throw unavailable(
      `the remote ${fork.url} has another block ${number} than ${toHex(fork.hash)}, which was forked: it was reorganized, or does not tell the truth`,
    )
}
