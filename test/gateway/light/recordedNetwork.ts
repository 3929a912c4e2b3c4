import { parseSignedHeader, type SignedHeader } from '../../../src/comet/data/commit.ts'
import { headerHash } from '../../../src/comet/data/headerHash.ts'
import { type LightSource, TrustChain } from '../../../src/light/trustChain.ts'
import type { ValidatorSet } from '../../../src/light/validatorSet.ts'
import { setOf } from './verdicts.ts'

/** What a real network of four validators said of a height, whose set and powers changed by transactions. */
export interface RecordedHeight {
  readonly signed_header: unknown
  /** Where they are others than those of the height before. */
  readonly validators?: readonly unknown[]
}

/** Opens a recording that begins with block 1. */
export const openRecordedNetwork = (recorded: readonly RecordedHeight[]) => {
  const headers = recorded.map(({ signed_header: signed }) => parseSignedHeader(signed))
  const sets: ValidatorSet[] = []
  for (const { validators } of recorded)
    sets.push(validators ? setOf(validators) : (sets.at(-1) as ValidatorSet))
  const signedAt = (height: number): SignedHeader => headers[height - 1] as SignedHeader
  const validatorsAt = (height: number): ValidatorSet => sets[height - 1] as ValidatorSet
  const source: LightSource = {
    node: 'recording',
    signedHeader: async (height) => signedAt(height),
    validators: async (height) => validatorsAt(height).source,
  }
  const { chainId } = signedAt(1).header
  const rules = { chainId, trustingPeriodMs: undefined, maxClockDriftMs: 10_000 }
  return {
    headers,
    sets,
    source,
    rules,
    trustAt: (height: number, its = rules): TrustChain =>
      new TrustChain(its, { header: signedAt(height).header, validators: validatorsAt(height) }),
    hashAt: (height: number): Uint8Array => headerHash(signedAt(height).header),
  }
}
