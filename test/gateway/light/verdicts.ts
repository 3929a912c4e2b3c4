import { parseSignedHeader } from '../../../src/comet/data/commit.ts'
import { parseHeader } from '../../../src/comet/data/parseHeader.ts'
import { parseValidators } from '../../../src/comet/data/replies.ts'
import { ValidatorSet } from '../../../src/light/validatorSet.ts'
import { assertNotExpired, verifyHeader } from '../../../src/light/verifyHeader.ts'

/** A pair of headers, and what CometBFT's light client says of the second by the first. */
export interface Verdict {
  readonly name: string
  readonly trusted: unknown
  readonly trustedValidators: readonly unknown[]
  readonly new: unknown
  readonly newValidators: readonly unknown[]
  readonly now: string
  readonly periodSeconds: number
  /** Empty if CometBFT accepts. */
  readonly error: string
  readonly signBytes?: string
}

export const verdictsChainId = 'vectors-1'

export const setOf = (validators: readonly unknown[]): ValidatorSet =>
  new ValidatorSet(parseValidators({ validators, total: String(validators.length) }).validators)

const isAccepted = async (verdict: Verdict): Promise<boolean> => {
  const found = { ...parseSignedHeader(verdict.new), validators: setOf(verdict.newValidators) }
  const trusted = { header: parseHeader(verdict.trusted), validators: setOf(verdict.trustedValidators) }
  const trustingPeriodMs = verdict.periodSeconds * 1_000
  const rules = { chainId: verdictsChainId, trustingPeriodMs, maxClockDriftMs: 10_000 }
  // The clock here has milliseconds, and some verdicts are about the very nanosecond: rounded to the side that decides.
  const now = Date.parse(verdict.now)
  try {
    assertNotExpired(trusted, rules, now + 1)
    return await verifyHeader(trusted, found, rules, now)
  } catch {
    return false
  }
}

/** Returns the verdicts that are others here. */
export const differingVerdicts = async (verdicts: readonly Verdict[]): Promise<readonly string[]> => {
  const differing: string[] = []
  for (const verdict of verdicts) {
    const { name, error } = verdict
    if ((await isAccepted(verdict)) !== (error === '')) differing.push(`${name}: ${error}`)
  }
  return differing
}
