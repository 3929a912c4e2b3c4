// Keccak-256 with the original padding. Rounds run in a loop: unrolled, the function outgrows what the
// optimising compiler of Node 20 handles well.

const RATE: u32 = 136

/** Where the hash of the last input is. */
export const KECCAK_STATE: usize = memory.data(200, 16)

// prettier-ignore
const ROUND = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
  0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
  0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
  0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
])

/**
 * Six lanes are held as their complements (1, 2, 8, 12, 17, 20): of the 25 complements of a round five are left, since
 * `~x & ~y` is `~(x | y)`, and which lanes those are is the same after each round. Of the last permutation the hash
 * alone is stored, as it is.
 */
function permute(isLast: bool): void {
  const s = KECCAK_STATE
  let a0 = load<u64>(s), a1 = load<u64>(s, 8), a2 = load<u64>(s, 16), a3 = load<u64>(s, 24), a4 = load<u64>(s, 32)
  let a5 = load<u64>(s, 40), a6 = load<u64>(s, 48), a7 = load<u64>(s, 56), a8 = load<u64>(s, 64), a9 = load<u64>(s, 72)
  let a10 = load<u64>(s, 80), a11 = load<u64>(s, 88), a12 = load<u64>(s, 96), a13 = load<u64>(s, 104), a14 = load<u64>(s, 112)
  let a15 = load<u64>(s, 120), a16 = load<u64>(s, 128), a17 = load<u64>(s, 136), a18 = load<u64>(s, 144), a19 = load<u64>(s, 152)
  let a20 = load<u64>(s, 160), a21 = load<u64>(s, 168), a22 = load<u64>(s, 176), a23 = load<u64>(s, 184), a24 = load<u64>(s, 192)
  for (let round: usize = 0; round < 192; round += 8) {
    const c0 = a0 ^ a5 ^ a10 ^ a15 ^ a20
    const c1 = a1 ^ a6 ^ a11 ^ a16 ^ a21
    const c2 = a2 ^ a7 ^ a12 ^ a17 ^ a22
    const c3 = a3 ^ a8 ^ a13 ^ a18 ^ a23
    const c4 = a4 ^ a9 ^ a14 ^ a19 ^ a24
    const d0 = c4 ^ rotl(c1, 1)
    const d1 = c0 ^ rotl(c2, 1)
    const d2 = c1 ^ rotl(c3, 1)
    const d3 = c2 ^ rotl(c4, 1)
    const d4 = c3 ^ rotl(c0, 1)
    const b0 = a0 ^ d0
    const b10 = rotl(a1 ^ d1, 1)
    const b20 = rotl(a2 ^ d2, 62)
    const b5 = rotl(a3 ^ d3, 28)
    const b15 = rotl(a4 ^ d4, 27)
    const b16 = rotl(a5 ^ d0, 36)
    const b1 = rotl(a6 ^ d1, 44)
    const b11 = rotl(a7 ^ d2, 6)
    const b21 = rotl(a8 ^ d3, 55)
    const b6 = rotl(a9 ^ d4, 20)
    const b7 = rotl(a10 ^ d0, 3)
    const b17 = rotl(a11 ^ d1, 10)
    const b2 = rotl(a12 ^ d2, 43)
    const b12 = rotl(a13 ^ d3, 25)
    const b22 = rotl(a14 ^ d4, 39)
    const b23 = rotl(a15 ^ d0, 41)
    const b8 = rotl(a16 ^ d1, 45)
    const b18 = rotl(a17 ^ d2, 15)
    const b3 = rotl(a18 ^ d3, 21)
    const b13 = rotl(a19 ^ d4, 8)
    const b14 = rotl(a20 ^ d0, 18)
    const b24 = rotl(a21 ^ d1, 2)
    const b9 = rotl(a22 ^ d2, 61)
    const b19 = rotl(a23 ^ d3, 56)
    const b4 = rotl(a24 ^ d4, 14)
    const n2 = ~b2
    const n9 = ~b9
    const n13 = ~b13
    const n18 = ~b18
    const n21 = ~b21
    a0 = b0 ^ (b1 | b2) ^ load<u64>(ROUND + round)
    a1 = b1 ^ (n2 | b3)
    a2 = b2 ^ (b3 & b4)
    a3 = b3 ^ (b4 | b0)
    a4 = b4 ^ (b0 & b1)
    a5 = b5 ^ (b6 | b7)
    a6 = b6 ^ (b7 & b8)
    a7 = b7 ^ (b8 | n9)
    a8 = b8 ^ (b9 | b5)
    a9 = b9 ^ (b5 & b6)
    a10 = b10 ^ (b11 | b12)
    a11 = b11 ^ (b12 & b13)
    a12 = b12 ^ (n13 & b14)
    a13 = n13 ^ (b14 | b10)
    a14 = b14 ^ (b10 & b11)
    a15 = b15 ^ (b16 & b17)
    a16 = b16 ^ (b17 | b18)
    a17 = b17 ^ (n18 | b19)
    a18 = n18 ^ (b19 & b15)
    a19 = b19 ^ (b15 | b16)
    a20 = b20 ^ (n21 & b22)
    a21 = n21 ^ (b22 | b23)
    a22 = b22 ^ (b23 & b24)
    a23 = b23 ^ (b24 | b20)
    a24 = b24 ^ (b20 & b21)
  }
  if (isLast) {
    store<u64>(s, a0); store<u64>(s, ~a1, 8); store<u64>(s, ~a2, 16); store<u64>(s, a3, 24)
    return
  }
  store<u64>(s, a0); store<u64>(s, a1, 8); store<u64>(s, a2, 16); store<u64>(s, a3, 24); store<u64>(s, a4, 32)
  store<u64>(s, a5, 40); store<u64>(s, a6, 48); store<u64>(s, a7, 56); store<u64>(s, a8, 64); store<u64>(s, a9, 72)
  store<u64>(s, a10, 80); store<u64>(s, a11, 88); store<u64>(s, a12, 96); store<u64>(s, a13, 104); store<u64>(s, a14, 112)
  store<u64>(s, a15, 120); store<u64>(s, a16, 128); store<u64>(s, a17, 136); store<u64>(s, a18, 144); store<u64>(s, a19, 152)
  store<u64>(s, a20, 160); store<u64>(s, a21, 168); store<u64>(s, a22, 176); store<u64>(s, a23, 184); store<u64>(s, a24, 192)
}

/** Most inputs are short: calls of the engine to fill and to copy would take as long as two rounds. */
@inline
function clear(): void {
  const s = KECCAK_STATE
  store<u64>(s, 0); store<u64>(s, ~<u64>0, 8); store<u64>(s, ~<u64>0, 16); store<u64>(s, 0, 24); store<u64>(s, 0, 32)
  store<u64>(s, 0, 40); store<u64>(s, 0, 48); store<u64>(s, 0, 56); store<u64>(s, ~<u64>0, 64); store<u64>(s, 0, 72)
  store<u64>(s, 0, 80); store<u64>(s, 0, 88); store<u64>(s, ~<u64>0, 96); store<u64>(s, 0, 104); store<u64>(s, 0, 112)
  store<u64>(s, 0, 120); store<u64>(s, 0, 128); store<u64>(s, ~<u64>0, 136); store<u64>(s, 0, 144); store<u64>(s, 0, 152)
  store<u64>(s, ~<u64>0, 160); store<u64>(s, 0, 168); store<u64>(s, 0, 176); store<u64>(s, 0, 184); store<u64>(s, 0, 192)
}

@inline
function absorb(from: usize): void {
  for (let i: usize = 0; i < RATE; i += 8) absorbLane(i, load<u64>(from + i))
  permute(false)
}

@inline
function absorbLane(i: usize, lane: u64): void {
  const at = KECCAK_STATE + i
  store<u64>(at, load<u64>(at) ^ lane)
}

/** The state of an input of one word, padded. */
function setWord(from: usize): void {
  const s = KECCAK_STATE
  store<u64>(s, load<u64>(from)); store<u64>(s, ~load<u64>(from, 8), 8); store<u64>(s, ~load<u64>(from, 16), 16); store<u64>(s, load<u64>(from, 24), 24); store<u64>(s, 1, 32)
  store<u64>(s, 0, 40); store<u64>(s, 0, 48); store<u64>(s, 0, 56); store<u64>(s, ~<u64>0, 64); store<u64>(s, 0, 72)
  store<u64>(s, 0, 80); store<u64>(s, 0, 88); store<u64>(s, ~<u64>0, 96); store<u64>(s, 0, 104); store<u64>(s, 0, 112)
  store<u64>(s, 0, 120); store<u64>(s, <u64>1 << 63, 128); store<u64>(s, ~<u64>0, 136); store<u64>(s, 0, 144); store<u64>(s, 0, 152)
  store<u64>(s, ~<u64>0, 160); store<u64>(s, 0, 168); store<u64>(s, 0, 176); store<u64>(s, 0, 184); store<u64>(s, 0, 192)
}

/** The state of an input of two words, as those of mappings are. */
function setPair(from: usize): void {
  const s = KECCAK_STATE
  store<u64>(s, load<u64>(from)); store<u64>(s, ~load<u64>(from, 8), 8); store<u64>(s, ~load<u64>(from, 16), 16); store<u64>(s, load<u64>(from, 24), 24); store<u64>(s, load<u64>(from, 32), 32)
  store<u64>(s, load<u64>(from, 40), 40); store<u64>(s, load<u64>(from, 48), 48); store<u64>(s, load<u64>(from, 56), 56); store<u64>(s, ~<u64>1, 64); store<u64>(s, 0, 72)
  store<u64>(s, 0, 80); store<u64>(s, 0, 88); store<u64>(s, ~<u64>0, 96); store<u64>(s, 0, 104); store<u64>(s, 0, 112)
  store<u64>(s, 0, 120); store<u64>(s, <u64>1 << 63, 128); store<u64>(s, ~<u64>0, 136); store<u64>(s, 0, 144); store<u64>(s, 0, 152)
  store<u64>(s, ~<u64>0, 160); store<u64>(s, 0, 168); store<u64>(s, 0, 176); store<u64>(s, 0, 184); store<u64>(s, 0, 192)
}

/** The hash of `length` bytes at `from`, as bytes at `KECCAK_STATE`. Up to eight bytes behind them are read too. */
export function hash(from: usize, length: u32): void {
  if (length == 32) {
    setWord(from)
    permute(true)
    return
  }
  if (length == 64) {
    setPair(from)
    permute(true)
    return
  }
  clear()
  while (length >= RATE) {
    absorb(from)
    from += RATE
    length -= RATE
  }
  let i: usize = 0
  for (; i + 8 <= <usize>length; i += 8) absorbLane(i, load<u64>(from + i))
  const rest = <u64>(length & 7) * 8
  // The padding begins right behind the input and ends with the block.
  absorbLane(i, (load<u64>(from + i) & ((<u64>1 << rest) - 1)) | (<u64>1 << rest))
  absorbLane(RATE - 8, <u64>1 << 63)
  permute(true)
}

/** The hash of `length` bytes at `from`, as bytes at `to`. */
export function keccak(from: usize, length: u32, to: usize): void {
  hash(from, length)
  const s = KECCAK_STATE
  store<u64>(to, load<u64>(s)); store<u64>(to, load<u64>(s, 8), 8); store<u64>(to, load<u64>(s, 16), 16); store<u64>(to, load<u64>(s, 24), 24)
}
