import { toHex } from '../../../base/encoding/hex.ts'
import { TraceError } from '../tracer.ts'
import type { ParityFrame } from './parityFrames.ts'
import { isCreation } from './writeTraces.ts'

/** Which traces are wanted, by the addresses of their two ends as hex; an empty list wants all of them. */
export interface ParityFilter {
  readonly fromAddress: readonly string[]
  readonly toAddress: readonly string[]
  /** Whether one of the two ends must match, or both. */
  readonly mode: 'union' | 'intersection'
}

export interface FrameFilter {
  matches(frame: ParityFrame): boolean
  /** Checks a reward, which has a recipient alone. */
  matchesReward(author: Uint8Array): boolean
}

/** Creates the check of a filter; reth's rules apply. */
export const createFrameFilter = ({ fromAddress, toAddress, mode }: ParityFilter): FrameFilter => {
  const [senders, recipients] = [new Set(fromAddress), new Set(toAddress)]
  const isFrom = (address: Uint8Array): boolean => senders.size === 0 || senders.has(toHex(address))
  const isTo = (address: Uint8Array | undefined): boolean =>
    recipients.size === 0 || (address !== undefined && recipients.has(toHex(address)))
  const decide = (from: boolean, to: boolean): boolean => {
    if (mode === 'intersection') return from && to
    if (senders.size === 0) return to
    return recipients.size === 0 ? from : from || to
  }
  return {
    matches: (frame) => decide(isFrom(frame.from), isTo(recipientOf(frame))),
    matchesReward: (author) => decide(senders.size === 0, isTo(author)),
  }
}

/** Returns the recipient of a frame; a creation that failed has none, one that reverted has. */
const recipientOf = (frame: ParityFrame): Uint8Array | undefined =>
  isCreation(frame) && frame.error !== undefined && frame.error !== 'execution reverted'
    ? undefined
    : frame.to

const isAddress = /^0x[0-9a-f]{40}$/

const readAddresses = (given: unknown, name: string): readonly string[] => {
  if (given === undefined) return []
  if (!Array.isArray(given) || !given.every((each) => typeof each === 'string' && isAddress.test(each)))
    throw new TraceError(`tracerConfig.filter.${name}: expected a list of addresses in lower case`)
  return given as readonly string[] // checked above
}

/** Reads a filter of a tracer's config. */
export const readFilter = (given: unknown): ParityFilter => {
  if (typeof given !== 'object' || given === null)
    throw new TraceError('tracerConfig.filter: expected an object')
  const { fromAddress, toAddress, mode = 'union' } = given as Readonly<Record<string, unknown>>
  if (mode !== 'union' && mode !== 'intersection')
    throw new TraceError('tracerConfig.filter.mode: expected union or intersection')
  return {
    fromAddress: readAddresses(fromAddress, 'fromAddress'),
    toAddress: readAddresses(toAddress, 'toAddress'),
    mode,
  }
}
