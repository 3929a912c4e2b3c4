import { isMempoolAnswer } from '../../../comet/data/mempoolErrors.ts'
import { isExecutionError } from '../../../comet/data/refusals.ts'
import type { Upstream } from '../upstream.ts'
import type { UpstreamRole } from './upstreamAddress.ts'

/** The requirements of a call on the upstream that answers it. */
export interface CallRequirements {
  readonly weight: 'light' | 'heavy'
  readonly kind: 'block' | 'state' | 'any'
  /** The height that the upstream must have; undefined: the newest. */
  readonly height?: number | undefined
  /** Whether it takes a transaction: such a call is made to one upstream at a time. */
  readonly isSend?: boolean
  /** The nodes that were asked for it before, the last one at the end: the others come first. */
  readonly asked?: readonly string[] | undefined
  /** The nodes that rejected it, which come last of all that can be asked. */
  readonly refusedBy?: readonly string[] | undefined
  /** The timeout of the call over all upstreams that are tried; that of its weight by default. */
  readonly timeoutMs?: number | undefined
}

/** How a transaction is sent, and what is known of how it was sent before. */
export interface SendOptions extends Pick<CallRequirements, 'asked' | 'refusedBy' | 'timeoutMs'> {
  /** Called with each node before it is asked. The last one is that which answered. */
  readonly onAsk?: (node: string) => void
  /** Called if the node that was asked last may have the transaction, though it does not say so. */
  readonly onUnknown?: () => void
}

/** What decides beside the needs of a call. */
export interface OrderOptions {
  /** How many blocks an upstream may be behind the others before these are preferred. */
  readonly maxLag: number
  /** The newest block of the store, which nodes cannot make up; undefined if there is no store. */
  readonly storedHeight?: number | undefined
  /** Returns whether a node is avoided, because it did not answer for a transaction: it is asked when no other is left. */
  readonly isAvoided?: (name: string) => boolean
  /** Returns a number from 0 to below 1. */
  readonly random: () => number
}

/** The number of blocks that an upstream may have gained since its last status. */
export const maxStatusLag = 64
/** Heights above the newest less this are asked of nodes for the head, older ones of archives. */
const recentBlocks = 128

/** Returns whether a node with these roles is sent transactions, or serves reads. */
export const mayAnswer = ({ roles }: Upstream['address'], isSend: boolean): boolean =>
  roles === undefined ||
  (isSend ? roles.includes('send') : roles.includes('head') || roles.includes('archive'))

const mayHave = ({ status }: Upstream, { kind, height }: CallRequirements): boolean =>
  kind !== 'block' || height === undefined || height >= (status?.earliestHeight ?? 1)

/** Returns the time until which a node is not believed to have the state that a call needs; 0: it may have it. */
export const doubtedUntil = (upstream: Upstream, { kind, height }: CallRequirements): number =>
  kind === 'state' && height !== undefined ? upstream.doubtedUntil(height, Date.now()) : 0

const roleFor = (
  { kind, height, isSend }: CallRequirements,
  newest: number,
): Exclude<UpstreamRole, 'send'> | undefined => {
  if (isSend) return undefined
  return kind === 'any' || height === undefined || height > newest - recentBlocks ? 'head' : 'archive'
}

/**
 * Returns the height of the chain, as far as one node alone cannot claim it: a height that a second node has too, or that
 * is no further from the store than a node may be.
 */
const newestOf = (
  upstreams: readonly Upstream[],
  { maxLag, storedHeight = Number.POSITIVE_INFINITY }: OrderOptions,
): number => {
  const [highest = 0, second = 0] = upstreams
    .map(({ status }) => status?.latestHeight ?? 0)
    .sort((a, b) => b - a)
  return Math.min(highest, Math.max(second, storedHeight + maxLag))
}

/**
 * Returns the upstreams that may answer a call, the best first. Transactions go only to nodes that take them. Where no
 * node of the right role is left for a call, one of the other role is asked: a response is better than none. For the
 * same reason those that said that they pruned a state come last, of equals the one that said so longest ago first.
 */
export const orderUpstreams = (
  upstreams: readonly Upstream[],
  need: CallRequirements,
  options: OrderOptions,
): readonly Upstream[] => {
  const { maxLag, random, isAvoided = () => false } = options
  const { asked = [], refusedBy = [] } = need
  const newest = newestOf(upstreams, options)
  const role = roleFor(need, newest)
  const demerits = ({ address, status, name }: Upstream): number => {
    const latest = status?.latestHeight ?? 0
    const isBehind = need.height !== undefined && latest + maxStatusLag < need.height
    const isLate = role !== 'archive' && latest + maxLag < newest
    const hasOtherRole = role !== undefined && address.roles !== undefined && !address.roles.includes(role)
    const hasRefused = refusedBy.includes(name)
    return (
      (hasRefused ? 16 : 0) +
      (isAvoided(name) ? 8 : 0) +
      (isBehind ? 4 : 0) +
      (isLate ? 2 : 0) +
      (hasOtherRole ? 1 : 0)
    )
  }
  /** A node that was asked comes after those that were not, also after a spare one, and before those asked since. */
  const turn = ({ name, address: { weight } }: Upstream): number =>
    2 * (asked.indexOf(name) + 1) + (weight === 0 ? 1 : 0)
  // A race of exponential times is won by each in proportion to its weight.
  const place = ({ address: { weight } }: Upstream): number =>
    weight === undefined || weight === 0 ? 0 : -Math.log(1 - random()) / weight
  return upstreams
    .filter((upstream) => mayAnswer(upstream.address, need.isSend ?? false) && mayHave(upstream, need))
    .map((upstream) => ({
      upstream,
      doubt: doubtedUntil(upstream, need),
      demerits: demerits(upstream),
      turn: turn(upstream),
      place: place(upstream),
    }))
    .sort(
      (one, other) =>
        Number(one.doubt > 0) - Number(other.doubt > 0) ||
        one.demerits - other.demerits ||
        one.doubt - other.doubt ||
        one.turn - other.turn ||
        one.place - other.place,
    )
    .map(({ upstream }) => upstream)
}

/**
 * Returns whether the rejection of one node is that of the chain. For a read it never is, because a node that has the state can
 * tell it; for an execution it is if the EVM rejects. Of a transaction the response of a mempool is returned, whatever it
 * says; any other error leaves open whether the node took it, and the next node is asked.
 */
export const isFinalRefusal = ({ isSend, kind, weight }: CallRequirements, text: string): boolean =>
  isSend === true ? isMempoolAnswer(text) : kind === 'state' && weight === 'heavy' && isExecutionError(text)
