import type { Random } from '../../support/random.ts'

/** The largest input that is made: repeated pieces may not grow without end. */
const maxBytes = 200_000

/** Numbers at which readers change their mind, as bytes of every length. */
const edges: readonly (readonly number[])[] = [
  ...[0, 1, 0x7f, 0x80, 0xb7, 0xb8, 0xbf, 0xc0, 0xf7, 0xf8, 0xff].map((byte) => [byte]),
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80],
  [0xbb, 0xff, 0xff, 0xff, 0xff],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
]

interface Range {
  readonly start: number
  readonly end: number
}

/** Returns a part of the input, more often a short one. */
const pickRange = (length: number, random: Random): Range => {
  const start = random.below(length + 1)
  const longest = random.chance(0.7) ? 16 : length
  return { start, end: Math.min(length, start + random.below(longest + 1)) }
}

type Change = (input: Buffer, random: Random, words: readonly Buffer[], seeds: readonly Buffer[]) => Buffer

const replace = (input: Buffer, { start, end }: Range, piece: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, start), piece, input.subarray(end)])

const changes: readonly Change[] = [
  // A bit, a byte, a few bytes.
  (input, random) => {
    if (input.length === 0) return input
    const changed = Buffer.from(input)
    const at = random.below(changed.length)
    changed[at] = (changed[at] as number) ^ (1 << random.below(8))
    return changed
  },
  (input, random) => replace(input, pickRange(input.length, random), random.bytes(random.below(9))),
  (input, random) => replace(input, pickRange(input.length, random), Uint8Array.from(random.pick(edges))),
  // Left out, cut off, doubled, repeated.
  (input, random) => replace(input, pickRange(input.length, random), new Uint8Array()),
  (input, random) => input.subarray(0, random.below(input.length + 1)),
  (input, random) => {
    const range = pickRange(input.length, random)
    const piece = input.subarray(range.start, range.end)
    const most = Math.max(1, Math.min(2000, Math.floor(maxBytes / (piece.length + 1))))
    const times = random.chance(0.9) ? 1 + random.below(4) : random.below(most)
    return replace(
      input,
      { start: range.end, end: range.end },
      Buffer.concat(Array(times).fill(piece) as Buffer[]),
    )
  },
  // What means something to the reader, in place of something or between.
  (input, random, words) => {
    const range = pickRange(input.length, random)
    return replace(
      input,
      random.chance(0.5) ? range : { start: range.start, end: range.start },
      random.pick(words),
    )
  },
  // A part of another input.
  (input, random, _, seeds) => {
    const other = random.pick(seeds)
    const { start, end } = pickRange(other.length, random)
    return replace(input, pickRange(input.length, random), other.subarray(start, end))
  },
]

/** Returns an input that was made from one of the seeds by a few changes. */
export const mutate = (seeds: readonly Buffer[], words: readonly Buffer[], random: Random): Buffer => {
  let input = random.pick(seeds)
  for (let left = 1 + random.below(random.chance(0.8) ? 3 : 12); left > 0; left--)
    input = random.pick(changes)(input, random, words, seeds)
  return Buffer.from(input.subarray(0, maxBytes))
}
