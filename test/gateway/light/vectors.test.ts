import { describe, expect, it } from 'vitest'
import { parseSignedHeader, signBytesOf } from '../../../src/comet/data/commit.ts'
import { readLines } from './fixtures.ts'
import { differingVerdicts, type Verdict, verdictsChainId } from './verdicts.ts'

const verdicts = readLines<Verdict>('verdicts.jsonl.gz')

describe('verifyHeader', () => {
  it('says what the light client of CometBFT says', async () => {
    expect(await differingVerdicts(verdicts)).toEqual([])
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
      const bytes = signBytesOf(verdictsChainId, commit)(first.time)
      expect(Buffer.from(bytes).toString('base64'), verdict.name).toBe(verdict.signBytes)
    }
  })
})
