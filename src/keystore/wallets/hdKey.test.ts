import { HDKey } from '@scure/bip32'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHex } from '../../base/encoding/hex.ts'
import { deriveKey, firstHardened, masterKey } from './hdKey.ts'

const step = fc
  .tuple(
    fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: firstHardened - 1 })),
    fc.boolean(),
  )
  .map(([index, isHardened]) => `${index}${isHardened ? "'" : ''}`)

test('keys are those of @scure/bip32, for any seed and path', () => {
  const seeds = fc.uint8Array({ minLength: 16, maxLength: 64 })
  const paths = fc.array(step, { maxLength: 6 }).map((steps) => ['m', ...steps].join('/'))
  fc.assert(
    fc.property(seeds, paths, (seed, path) => {
      const expected = HDKey.fromMasterSeed(seed).derive(path)
      const { privateKey, chainCode } = deriveKey(masterKey(seed), path)
      expect(toHex(privateKey)).toBe(toHex(expected.privateKey as Uint8Array))
      expect(toHex(chainCode)).toBe(toHex(expected.chainCode as Uint8Array))
    }),
    { numRuns: 30 },
  )
})
