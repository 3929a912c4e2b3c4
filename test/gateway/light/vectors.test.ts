import { describe, expect, it } from 'vitest'
import { parseSignedHeader, signBytesOf } from '../../../src/comet/data/commit.ts'
import { parseHeader } from '../../../src/comet/data/parseHeader.ts'
import { parseValidators } from '../../../src/comet/data/replies.ts'
import { ValidatorSet } from '../../../src/light/validatorSet.ts'
import { assertNotExpired, verifyHeader } from '../../../src/light/verifyHeader.ts'
import { readLines } from './fixtures.ts'

interface Verdict {
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

const chainId = 'vectors-1'
const verdicts = readLines<Verdict>('verdicts.jsonl.gz')

const setOf = (validators: readonly unknown[]): ValidatorSet =>
  new ValidatorSet(parseValidators({ validators, total: String(validators.length) }).validators)

const isAccepted = (verdict: Verdict): boolean => {
  const found = { ...parseSignedHeader(verdict.new), validators: setOf(verdict.newValidators) }
  const trusted = { header: parseHeader(verdict.trusted), validators: setOf(verdict.trustedValidators) }
  const rules = { chainId, trustingPeriodMs: verdict.periodSeconds * 1_000, maxClockDriftMs: 10_000 }
  // The clock here has milliseconds, and some verdicts are about the very nanosecond: rounded to the side that decides.
  const now = Date.parse(verdict.now)
  try {
    assertNotExpired(trusted, rules, now + 1)
    return verifyHeader(trusted, found, rules, now)
  } catch {
    return false
  }
}

describe('verifyHeader', () => {
  it('says what the light client of CometBFT says', () => {
    const differing = verdicts
      .filter((verdict) => isAccepted(verdict) !== (verdict.error === ''))
      .map(({ name, error }) => `${name}: ${error}`)
    expect(differing).toEqual([])
    const accepted = verdicts.filter(({ error }) => error === '').length
    expect(accepted).toBeGreaterThan(30)
    expect(verdicts.length - accepted).toBeGreaterThan(60)
  })

  it('knows the bytes that validators sign', () => {
    const told = verdicts.filter(({ signBytes }) => signBytes !== undefined)
    expect(told.length).toBeGreaterThan(50)
    for (const verdict of told) {
      const { commit } = parseSignedHeader(verdict.new)
      const [first] = commit.signatures
      // CometBFT's bytes of the first vote name its block only if it voted for it.
      if (!first?.isForBlock) continue
      const bytes = signBytesOf(chainId, commit)(first.time)
      expect(Buffer.from(bytes).toString('base64'), verdict.name).toBe(verdict.signBytes)
    }
  })
})
