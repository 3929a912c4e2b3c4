// Words and addresses from and to bytes, the highest first.

/** 32 bytes, the highest first, to limbs. */
@inline
export function fromBytes(bytes: usize, r: usize): void {
  const x0 = load<u64>(bytes, 24)
  const x1 = load<u64>(bytes, 16)
  const x2 = load<u64>(bytes, 8)
  const x3 = load<u64>(bytes)
  store<u64>(r, bswap<u64>(x0))
  store<u64>(r, bswap<u64>(x1), 8)
  store<u64>(r, bswap<u64>(x2), 16)
  store<u64>(r, bswap<u64>(x3), 24)
}

@inline
export function toBytes(a: usize, bytes: usize): void {
  const x0 = load<u64>(a)
  const x1 = load<u64>(a, 8)
  const x2 = load<u64>(a, 16)
  const x3 = load<u64>(a, 24)
  store<u64>(bytes, bswap<u64>(x3))
  store<u64>(bytes, bswap<u64>(x2), 8)
  store<u64>(bytes, bswap<u64>(x1), 16)
  store<u64>(bytes, bswap<u64>(x0), 24)
}

/** The lowest 20 bytes of a word as bytes, the highest first. */
export function toAddressBytes(a: usize, bytes: usize): void {
  store<u32>(bytes, bswap<u32>(load<u32>(a, 16)))
  store<u64>(bytes, bswap<u64>(load<u64>(a, 8)), 4)
  store<u64>(bytes, bswap<u64>(load<u64>(a)), 12)
}

/** 20 bytes to a word. */
export function fromAddressBytes(bytes: usize, r: usize): void {
  const x2 = <u64>bswap<u32>(load<u32>(bytes))
  const x1 = bswap<u64>(load<u64>(bytes, 4))
  const x0 = bswap<u64>(load<u64>(bytes, 12))
  store<u64>(r, x0)
  store<u64>(r, x1, 8)
  store<u64>(r, x2, 16)
  store<u64>(r, 0, 24)
}
