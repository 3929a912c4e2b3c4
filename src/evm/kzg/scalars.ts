/** The scalar field of BLS12-381, and polynomials over it. */

export const order = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
/** A generator of the multiplicative group. */
const generator = 7n

export const elementsPerBlob = 4096
const elementBytes = 32

export const reduce = (value: bigint): bigint => {
  const rest = value % order
  return rest < 0n ? rest + order : rest
}

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  let square = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % order
    square = (square * square) % order
  }
  return result
}

/** Returns base^0 to base^(count - 1). */
export const powers = (base: bigint, count: number): bigint[] => {
  const all: bigint[] = []
  for (let next = 1n; all.length < count; next = (next * base) % order) all.push(next)
  return all
}

/** Returns a primitive root of unity of order `size`, which is a power of two. */
export const rootOfUnity = (size: number): bigint => power(generator, (order - 1n) / BigInt(size))

const inverseRoots = powers(power(rootOfUnity(elementsPerBlob), order - 2n), elementsPerBlob / 2)
const inverseCount = power(BigInt(elementsPerBlob), order - 2n)

/** Returns the elements of a blob; undefined if one is not below the order. */
const elementsOf = (blob: Uint8Array): bigint[] | undefined => {
  const hex = Buffer.from(blob.buffer, blob.byteOffset, blob.length).toString('hex')
  const elements: bigint[] = []
  for (let at = 0; at < hex.length; at += 2 * elementBytes) {
    const element = BigInt(`0x${hex.slice(at, at + 2 * elementBytes)}`)
    if (element >= order) return undefined
    elements.push(element)
  }
  return elements
}

/**
 * Returns the coefficients of a blob's polynomial, lowest first; undefined if the blob is invalid. A blob
 * lists the values at the roots of unity in bit-reversed order, with which an in-place transform begins.
 */
export const toCoefficients = (blob: Uint8Array): bigint[] | undefined => {
  const values = elementsOf(blob)
  if (values === undefined) return undefined
  for (let half = 1; half < elementsPerBlob; half *= 2) {
    const stride = elementsPerBlob / (2 * half)
    for (let start = 0; start < elementsPerBlob; start += 2 * half) {
      for (let index = 0; index < half; index++) {
        const even = values[start + index] as bigint
        const odd = values[start + half + index] as bigint
        const twisted = odd === 0n ? 0n : (odd * (inverseRoots[index * stride] as bigint)) % order
        const sum = even + twisted
        values[start + index] = sum < order ? sum : sum - order
        values[start + half + index] = even < twisted ? even - twisted + order : even - twisted
      }
    }
  }
  return values.map((value) => (value * inverseCount) % order)
}

export const evaluate = (coefficients: readonly bigint[], at: bigint): bigint => {
  let result = 0n
  for (let index = coefficients.length - 1; index >= 0; index--)
    result = (result * at + (coefficients[index] as bigint)) % order
  return result
}
