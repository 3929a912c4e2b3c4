import type { CopyBuffer } from './copyBuffer.ts'

const base = 10_000
const positive = 0
const negative = 0x4000

/** Limbs of 24 bits, lowest first; 256 bits are eleven. */
const limbs = new Uint32Array(11)
/** Digits to the base 10,000, lowest first; 2^256 has twenty. */
const groups = new Int16Array(20)

const quantity = /^0x[0-9a-f]{1,64}$/i

/** Writes an integer as a `numeric`: groups of four decimal digits. */
export const writeNumeric = (to: CopyBuffer, value: unknown): void => {
  if (typeof value === 'string') {
    if (!quantity.test(value)) throw new Error(`not a QUANTITY: ${value.slice(0, 80)}`)
    return writeGroups(to, splitHex(value), positive)
  }
  const integer = typeof value === 'bigint' ? value : BigInt(value as number)
  const size = integer < 0n ? -integer : integer
  writeGroups(to, splitHex(`0x${size.toString(16)}`), integer < 0n ? negative : positive)
}

/** Splits a number in limbs; returns how many there are. */
const splitHex = (text: string): number => {
  let count = 0
  for (let end = text.length; end > 2; end -= 6)
    limbs[count++] = Number.parseInt(text.slice(Math.max(2, end - 6), end), 16)
  return count
}

const writeGroups = (to: CopyBuffer, limbCount: number, sign: number): void => {
  let highest = limbCount
  while (highest > 0 && limbs[highest - 1] === 0) highest--
  let count = 0
  while (highest > 0) {
    let rest = 0
    for (let at = highest - 1; at >= 0; at--) {
      const part = rest * 2 ** 24 + (limbs[at] as number)
      const quotient = Math.floor(part / base)
      limbs[at] = quotient
      rest = part - quotient * base
    }
    groups[count++] = rest
    while (highest > 0 && limbs[highest - 1] === 0) highest--
  }
  // Zeros at the end are not written: the weight of the first group says how many there are.
  let lowest = 0
  while (lowest < count && groups[lowest] === 0) lowest++
  const written = count - lowest
  to.int32(8 + 2 * written)
  to.int16(written)
  to.int16(written === 0 ? 0 : count - 1)
  to.int16(sign)
  to.int16(0)
  for (let at = count - 1; at >= lowest; at--) to.int16(groups[at] as number)
}
