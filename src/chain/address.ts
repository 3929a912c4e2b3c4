import { keccak256 } from '../base/crypto/crypto.ts'
import { toHex } from '../base/encoding/hex.ts'
import { encodeUtf8 } from '../base/encoding/utf8.ts'

/**
 * Returns the EIP-55 form: a letter is upper-case if the hash of the lower-case digits has its high bit set.
 */
export const toChecksumAddress = (address: Uint8Array): string => {
  const digits = toHex(address).slice(2)
  const hash = keccak256(encodeUtf8(digits))
  let text = '0x'
  for (let index = 0; index < digits.length; index++) {
    const digit = digits[index] as string
    const nibble = ((hash[index >> 1] as number) >> (index & 1 ? 0 : 4)) & 0xf
    text += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return text
}
