/** Returns exactly `length` bytes: cut, or padded with zeros on the right. */
export const padRight = (input: Uint8Array, length: number): Uint8Array => {
  if (input.length >= length) return input.subarray(0, length)
  const whole = new Uint8Array(length)
  whole.set(input)
  return whole
}

/** Returns the number of words of an input, rounded up. */
export const wordCount = (input: Uint8Array): bigint => BigInt(Math.ceil(input.length / 32))
