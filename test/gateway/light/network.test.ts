import { describe, expect, it } from 'vitest'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { parseSignedHeader, type SignedHeader } from '../../../src/comet/data/commit.ts'
import { headerHash } from '../../../src/comet/data/headerHash.ts'
import { parseValidators } from '../../../src/comet/data/replies.ts'
import { type LightSource, TrustChain } from '../../../src/light/trustChain.ts'
import { ValidatorSet } from '../../../src/light/validatorSet.ts'
import { recorded as readRecorded } from '../recordings/recordings.ts'
import { readLines } from './fixtures.ts'

/** What a real network of four validators said, whose set and powers changed by transactions. */

interface Recorded {
  readonly signed_header: unknown
  /** Where they are others than those of the height before. */
  readonly validators?: readonly unknown[]
}

const setOf = (validators: readonly unknown[]): ValidatorSet =>
  new ValidatorSet(parseValidators({ validators, total: String(validators.length) }).validators)

const recorded = readLines<Recorded>('network.jsonl.gz')
const headers = recorded.map(({ signed_header: signed }) => parseSignedHeader(signed))
const sets: ValidatorSet[] = []
for (const { validators } of recorded)
  sets.push(validators ? setOf(validators) : (sets.at(-1) as ValidatorSet))

const source: LightSource = {
  node: 'recording',
  signedHeader: async (height) => headers[height - 1] as SignedHeader,
  validators: async (height) => sets[height - 1]?.source ?? [],
}
const chainId = headers[0]?.header.chainId ?? ''
const rules = { chainId, trustingPeriodMs: undefined, maxClockDriftMs: 10_000 }
const trustAt = (height: number): TrustChain =>
  new TrustChain(rules, {
    header: (headers[height - 1] as SignedHeader).header,
    validators: sets[height - 1] as ValidatorSet,
  })
const hashAt = (height: number): Uint8Array => headerHash((headers[height - 1] as SignedHeader).header)

describe('the recording of a real network', () => {
  it('has sets that changed, and validators that were absent', () => {
    expect(new Set(sets.map(({ hash }) => toHex(hash))).size).toBeGreaterThan(4)
    expect(headers.some(({ commit }) => commit.signatures.some(({ flag }) => flag === 1))).toBe(true)
  })

  it('is proven header by header, and from any header to any later one', async () => {
    for (const [at] of headers.entries()) if (at > 0) await trustAt(at).reach(source, at + 1, hashAt(at + 1))
    for (const from of [1, 4, 9]) {
      const trust = trustAt(from)
      await trust.reach(source, headers.length, hashAt(headers.length))
      expect(trust.newest.header.height).toBe(headers.length)
    }
  })

  it('is not proven under the name of another chain', async () => {
    const first = headers[0] as SignedHeader
    const other = new TrustChain(
      { ...rules, chainId: 'another-1' },
      { header: first.header, validators: sets[0] as ValidatorSet },
    )
    await expect(other.reach(source, 2, hashAt(2))).rejects.toThrow('is of chain')
  })
})

describe('the recording of evmd', () => {
  it.each([89, 250])(
    'has a commit of block %d in the next one, which its validator signed',
    async (height) => {
      const { block } = readRecorded(`native/block-${height}.json`)
      const { block: next } = readRecorded(`native/block-${height + 1}.json`)
      const { validators } = readRecorded('native/validators-144.json')
      const signed = parseSignedHeader({ header: block.header, commit: next.last_commit })
      const before = { ...signed.header, height: height - 1, time: { ...signed.header.time, seconds: 0n } }
      const trust = new TrustChain(
        { ...rules, chainId: signed.header.chainId },
        { header: before, validators: setOf(validators) },
      )
      const node: LightSource = {
        node: 'recording',
        signedHeader: async () => signed,
        validators: async () => [],
      }
      await trust.reach(node, height, headerHash(signed.header))
      expect(trust.newest.header.height).toBe(height)
    },
  )
})
