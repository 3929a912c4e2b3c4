/** A small seeded generator (xorshift128), so that a run can be repeated. */
export const createRandom = (seed: number) => {
  let [x, y, z, w] = [seed | 0 || 1, 0x9e3779b9 | 0, 0x243f6a88, 0xb7e15162 | 0]
  const next = (): number => {
    const t = x ^ (x << 11)
    x = y
    y = z
    z = w
    w = w ^ (w >>> 19) ^ t ^ (t >>> 8)
    return w >>> 0
  }
  return {
    below: (limit: number): number => Math.floor((next() / 2 ** 32) * limit),
    bytes: (length: number): Uint8Array => {
      const bytes = new Uint8Array(length)
      for (let i = 0; i < length; i++) bytes[i] = next() >>> 24
      return bytes
    },
  }
}

export type Random = ReturnType<typeof createRandom>
