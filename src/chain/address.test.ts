import { getAddress } from 'ethers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toHex } from '../base/encoding/hex.ts'
import { toChecksumAddress } from './address.ts'

it('agrees with ethers', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 20, maxLength: 20 }), (address) => {
      expect(toChecksumAddress(address)).toBe(getAddress(toHex(address)))
    }),
  )
})
