import { describe, expect, it } from 'vitest'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { parseSignedHeader } from '../../../src/comet/data/commit.ts'
import { headerHash } from '../../../src/comet/data/headerHash.ts'
import { type LightSource, TrustChain } from '../../../src/light/trustChain.ts'
import { recorded as readRecorded } from '../recordings/recordings.ts'
import { readLines } from './fixtures.ts'
import { openRecordedNetwork } from './recordedNetwork.ts'
import { setOf } from './verdicts.ts'

const { headers, sets, source, rules, trustAt, hashAt } = openRecordedNetwork(readLines('network.jsonl.gz'))

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

  it('does not go back to a lower header that is proven at the same time', async () => {
    const trust = trustAt(1)
    await Promise.allSettled([4, 3].map((height) => trust.reach(source, height, hashAt(height))))
    expect(trust.newest.header.height).toBe(4)
  })

  describe('while another call is faster', () => {
    /** A node whose headers come only after another call has proven one. */
    const overtaken = (
      trust: TrustChain,
      by: number,
      signedHeader: LightSource['signedHeader'] = source.signedHeader,
    ): LightSource => ({
      ...source,
      signedHeader: async (height) => {
        await trust.reach(source, by, hashAt(by))
        return signedHeader(height)
      },
    })
    const isUnavailable = { name: 'NativeQueryError', kind: 'unavailable' }

    it('is to be asked again for what is below the trusted header by now', async () => {
      const trust = trustAt(1)
      const proof = trust.reach(overtaken(trust, 4), 3, hashAt(3))
      await expect(proof).rejects.toMatchObject(isUnavailable)
      expect(trust.newest.header.height).toBe(4)
    })

    it('is proven by the same header, and not by another one at its height', async () => {
      const trust = trustAt(1)
      await trust.reach(overtaken(trust, 4), 4, hashAt(4))
      const other = trustAt(1)
      const { header, commit } = await source.signedHeader(4)
      const forged = { header: { ...header, appHash: new Uint8Array(32) }, commit }
      const liar = overtaken(other, 4, async () => forged)
      await expect(other.reach(liar, 4, headerHash(forged.header))).rejects.toMatchObject(isUnavailable)
      for (const { newest } of [trust, other]) expect(headerHash(newest.header)).toEqual(hashAt(4))
    })
  })

  it('is not proven under the name of another chain', async () => {
    const other = trustAt(1, { ...rules, chainId: 'another-1' })
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
