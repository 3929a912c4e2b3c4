/** 256-bit integers as the EVM holds them: four 64-bit limbs, the lowest first. */

const limb = 0xffff_ffff_ffff_ffffn

export const writeWord = (view: DataView, at: number, value: bigint): void => {
  view.setBigUint64(at, value & limb, true)
  if (value <= limb) {
    view.setBigUint64(at + 8, 0n, true)
    view.setBigUint64(at + 16, 0n, true)
    view.setBigUint64(at + 24, 0n, true)
    return
  }
  view.setBigUint64(at + 8, (value >> 64n) & limb, true)
  view.setBigUint64(at + 16, (value >> 128n) & limb, true)
  view.setBigUint64(at + 24, (value >> 192n) & limb, true)
}

export const readWord = (view: DataView, at: number): bigint => {
  const low = view.getBigUint64(at, true)
  const second = view.getBigUint64(at + 8, true)
  const third = view.getBigUint64(at + 16, true)
  const top = view.getBigUint64(at + 24, true)
  if ((second | third | top) === 0n) return low
  return low | (second << 64n) | (third << 128n) | (top << 192n)
}

/** Returns all 64 digits. */
export const wordToHex = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

/** Writes big-endian bytes (20 or 32) as a word. */
export const writeBytesAsWord = (bytes: Uint8Array, at: number, value: Uint8Array): void => {
  const length = value.length
  for (let i = 0; i < length; i++) bytes[at + i] = value[length - 1 - i] as number
  for (let i = length; i < 32; i++) bytes[at + i] = 0
}

/** Returns the lowest bytes of a word, big-endian. */
export const readWordAsBytes = (bytes: Uint8Array, at: number, length: number): Uint8Array => {
  const value = new Uint8Array(length)
  for (let i = 0; i < length; i++) value[i] = bytes[at + length - 1 - i] as number
  return value
}
