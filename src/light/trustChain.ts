import type { MaybePromise } from '../base/async/maybePromise.ts'
import { equalBytes } from '../base/encoding/bytes.ts'
import { toHex } from '../base/encoding/hex.ts'
import { toSignedHeaderJson } from '../comet/data/cometJson.ts'
import type { SignedHeader } from '../comet/data/commit.ts'
import { headerHash } from '../comet/data/headerHash.ts'
import { NativeQueryError } from '../comet/data/nativeQuery.ts'
import { ProvenLie } from '../comet/data/provenLie.ts'
import type { NodeValidator } from '../comet/data/replies.ts'
import { ValidatorSet } from './validatorSet.ts'
import {
  assertDecided,
  assertNotExpired,
  assertOwnValidators,
  type LightBlock,
  type TrustedHeader,
  type TrustRules,
  verifyHeader,
} from './verifyHeader.ts'

/** A node that is asked for headers with their proofs. */
export interface LightSource {
  /** The name of the node, as logs show it. */
  readonly node: string
  signedHeader(height: number): Promise<SignedHeader>
  validators(height: number): Promise<readonly NodeValidator[]>
}

/** Fetches a header with its proofs. Validators that are known already are not requested. */
export const fetchLightBlock = async (
  source: LightSource,
  height: number,
  known?: ValidatorSet,
): Promise<LightBlock> => {
  const signed = await source.signedHeader(height)
  if (signed.header.height !== height)
    throw new ProvenLie('other header', height, `came with the header of block ${signed.header.height}`)
  const isKnown = known !== undefined && equalBytes(known.hash, signed.header.validatorsHash)
  return { ...signed, validators: isKnown ? known : new ValidatorSet(await source.validators(height)) }
}

/** Fetches a header that is to be believed for itself: validators decided on it, whoever they are. */
export const fetchDecided = async (
  source: LightSource,
  height: number,
  chainId: string,
): Promise<LightBlock> => {
  const block = await fetchLightBlock(source, height)
  await withEvidence(block, () => assertDecided(block, chainId))
  return block
}

/** Fetches a header whose hash is known, with its validators. Returns undefined if the node has another one. */
export const fetchKnown = async (
  source: LightSource,
  height: number,
  hash: Uint8Array,
): Promise<LightBlock | undefined> => {
  const block = await fetchLightBlock(source, height)
  const { header, validators } = block
  if (!equalBytes(headerHash(header), hash)) return undefined
  await withEvidence(block, () => assertOwnValidators(header, validators))
  return block
}

/** Adds what the node said to the lie that it proves to be. */
export const withEvidence = async <Value>(
  said: LightBlock,
  verify: () => MaybePromise<Value>,
): Promise<Value> => {
  try {
    return await verify()
  } catch (error) {
    if (error instanceof ProvenLie) error.evidence ??= toSignedHeaderJson(said)
    throw error
  }
}

/** Headers of which each is trusted by one before it. */
export class TrustChain {
  readonly #rules: TrustRules
  #newest: TrustedHeader

  constructor(rules: TrustRules, first: TrustedHeader) {
    this.#rules = rules
    this.#newest = first
  }

  get newest(): TrustedHeader {
    return this.#newest
  }

  /**
   * Proves the header of a height above the newest one, and trusts it then: at once, if enough of the trusted validators
   * voted for it, or else by headers between them. Throws a `ProvenLie` if it is not `hash`, and a `NativeQueryError`,
   * after which it can be asked again, if another call has moved trust past it meanwhile.
   */
  async reach(source: LightSource, height: number, hash: Uint8Array): Promise<void> {
    const target = await fetchLightBlock(source, height, this.#newest.validators)
    if (!equalBytes(headerHash(target.header), hash))
      throw new ProvenLie('other header', height, 'its commit is for another header', {
        block: toHex(hash),
        commit: toHex(headerHash(target.header)),
      })
    const wanted = [target]
    for (let next = wanted.at(-1); next !== undefined; next = wanted.at(-1)) {
      const now = Date.now()
      const trusted = this.#newest
      if (next.header.height <= trusted.header.height) {
        // Another call was faster. It proved this very header, or only made one on the way to it needless.
        if (next === target && !equalBytes(headerHash(trusted.header), hash))
          throw new NativeQueryError(
            'unavailable',
            `block ${height} is not above the trusted block ${trusted.header.height} any more; try again`,
          )
        wanted.pop()
        continue
      }
      assertNotExpired(trusted, this.#rules, now)
      const isProven = await withEvidence(next, () => verifyHeader(trusted, next, this.#rules, now))
      // Another call was faster: what is trusted never goes back.
      if (this.#newest !== trusted) continue
      if (isProven) {
        // A later block is at least as new as the one that was the newest when it was first used.
        const { sinceMs } = trusted
        this.#newest = { header: next.header, validators: next.validators, sinceMs }
        wanted.pop()
        continue
      }
      const from = trusted.header.height
      const middle = from + Math.ceil((next.header.height - from) / 2)
      wanted.push(await fetchLightBlock(source, middle, trusted.validators))
    }
  }
}
