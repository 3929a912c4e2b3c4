import { equalBytes } from '../base/encoding/bytes.ts'
import type { SignedHeader } from '../comet/data/commit.ts'
import { headerHash } from '../comet/data/headerHash.ts'
import type { NativeHeader, NativeTime } from '../comet/data/nativeBlock.ts'
import { ProvenLie } from '../comet/data/provenLie.ts'
import { TrustError } from './trustError.ts'
import type { ValidatorSet } from './validatorSet.ts'
import { CommitCheck, type Share } from './verifyCommit.ts'

/** A header that is trusted, with its validators. */
export interface TrustedHeader {
  readonly header: NativeHeader
  readonly validators: ValidatorSet
  /** When it was the newest, or one before it was, if that is known to be later than its own time, in milliseconds. */
  readonly sinceMs?: number | undefined
}

/** A header with all that proves it: its commit, and the validators that the commit is of. */
export interface LightBlock extends SignedHeader {
  readonly validators: ValidatorSet
}

/** What the operator's settings of the trusted block are called, for messages that say what to do. */
export interface RootSettings {
  readonly height: string
  readonly hash: string
}

export interface TrustRules {
  /** CometBFT's id of the chain. */
  readonly chainId: string
  /** How long a header is trusted after its time, in milliseconds; undefined: forever. */
  readonly trustingPeriodMs: number | undefined
  /** How far the time of a header may be ahead of the clock here, in milliseconds. */
  readonly maxClockDriftMs: number
  readonly rootSettings?: RootSettings
}

/** What they are called where nobody says it. */
export const plainRootSettings: RootSettings = { height: 'the trusted height', hash: 'the trusted hash' }

/** The share of trusted validators that must have voted for a header that is not the next one. */
export const trustLevel: Share = { numerator: 1n, denominator: 3n }

const toNanos = ({ seconds, nanos }: NativeTime): bigint => seconds * 1_000_000_000n + BigInt(nanos)
const millisToNanos = (milliseconds: number): bigint => BigInt(Math.round(milliseconds)) * 1_000_000n

/** Throws unless a header is of the chain, its commit is for it, and its validators decided on it. */
export const assertDecided = async (
  { header, commit, validators }: LightBlock,
  chainId: string,
  check = new CommitCheck(chainId, commit),
): Promise<void> => {
  assertForm({ header, commit }, chainId)
  assertOwnValidators(header, validators)
  await check.assertDecided(validators)
}

/** Throws unless validators are those that the header names. */
export const assertOwnValidators = (
  { height, validatorsHash }: NativeHeader,
  { hash }: ValidatorSet,
): void => {
  if (!equalBytes(hash, validatorsHash))
    throw new ProvenLie('other validators', height, 'its validators are not those of its header')
}

const assertForm = ({ header, commit }: SignedHeader, chainId: string): void => {
  const { height } = header
  if (header.chainId !== chainId)
    throw new ProvenLie('other header', height, `is of chain ${header.chainId}, not of ${chainId}`)
  if (commit.height !== height)
    throw new ProvenLie('other header', height, `came with the commit of block ${commit.height}`)
  if (!equalBytes(headerHash(header), commit.blockId.hash))
    throw new ProvenLie('other header', height, 'its commit is for another header')
}

/** Throws if the trusted header is too old to trust another one by it. */
export const assertNotExpired = (
  { header: { height, time }, sinceMs = 0 }: Pick<TrustedHeader, 'header' | 'sinceMs'>,
  {
    trustingPeriodMs,
    rootSettings = plainRootSettings,
  }: Pick<TrustRules, 'trustingPeriodMs' | 'rootSettings'>,
  nowMs: number,
): void => {
  if (trustingPeriodMs === undefined) return
  const from = toNanos(time)
  const since = millisToNanos(sinceMs)
  const ends = (from > since ? from : since) + millisToNanos(trustingPeriodMs)
  if (ends <= millisToNanos(nowMs))
    throw new TrustError(
      `the trusted header ${height} is older than the trusting period: set ${rootSettings.height} and ${rootSettings.hash} to a block that you know to be of the chain`,
    )
}

/**
 * Checks a header by one that is trusted and lower: the next one by its validators' hash, another one by the part of
 * trusted validators that voted for it. Returns false if that part is too small, so that headers between them are
 * needed. Throws a `ProvenLie` for a header that cannot be of the chain.
 */
export const verifyHeader = async (
  trusted: TrustedHeader,
  found: LightBlock,
  { chainId, maxClockDriftMs }: TrustRules,
  nowMs: number,
): Promise<boolean> => {
  const { header, commit, validators } = found
  const check = new CommitCheck(chainId, commit)
  const { height } = header
  assertForm(found, chainId)
  if (height <= trusted.header.height) throw new Error(`${height} is not above ${trusted.header.height}`)
  if (toNanos(header.time) <= toNanos(trusted.header.time))
    throw new ProvenLie('other header', height, 'its time is not after that of a block before it')
  assertOwnValidators(header, validators)
  if (height === trusted.header.height + 1) {
    if (!equalBytes(header.validatorsHash, trusted.header.nextValidatorsHash))
      throw new ProvenLie(
        'other validators',
        height,
        'its validators are not those that the header before it names',
      )
  } else if (!(await check.isTrustedBy(trusted.validators, trustLevel))) return false
  await check.assertDecided(validators)
  if (toNanos(header.time) >= millisToNanos(nowMs + maxClockDriftMs))
    throw new TrustError(`block ${height}: its time is ahead of the clock of this machine`)
  return true
}
