/** A seeded random source, with the same values for the same seed on any machine. */
export interface Random {
  /** Returns a number from 0 to 1 (exclusive). */
  fraction(): number
  /** Returns an integer from 0 to `limit` (exclusive). */
  below(limit: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  bytes(length: number): Uint8Array
  /** Returns an integer below 2^bits; small values, powers of two and all-ones are more frequent. */
  integer(bits: number): bigint
}

/** Splitmix over 32 bits (Steele, Lea, Flood 2014, the 32-bit variant of its finaliser by Murmur3). */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x9e37_79b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
    return (mixed ^ (mixed >>> 16)) >>> 0
  }
  const fraction = (): number => next() / 2 ** 32
  const below = (limit: number): number => Math.floor(fraction() * limit)
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => next() & 0xff)
  const uniform = (bits: number): bigint =>
    BigInt.asUintN(bits, BigInt(`0x${Buffer.from(bytes(Math.ceil(bits / 8))).toString('hex')}`))
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    bytes,
    integer: (bits) => {
      switch (below(6)) {
        case 0:
          return BigInt.asUintN(bits, BigInt(below(4)))
        case 1:
          return BigInt.asUintN(bits, BigInt(below(300)))
        case 2:
          return 1n << BigInt(below(bits))
        case 3:
          return (1n << BigInt(below(bits) + 1)) - 1n
        default:
          return uniform(below(bits) + 1)
      }
    },
  }
}
