import { stringLength, writeHeader, writeString } from '../../base/encoding/rlp.ts'
import { type Branch, nibble, terminal } from './trieNode.ts'

/** The encodings that are hashed, as the yellow paper's appendix D has them. */

const scratch = new Uint8Array(64)

/** Returns the hex-prefix encoding of the nibbles `at(0) … at(count - 1)`. */
const packNibbles = (count: number, isLeaf: boolean, at: (index: number) => number): Uint8Array => {
  const odd = count & 1
  const length = (count >> 1) + 1
  const packed = length <= scratch.length ? scratch : new Uint8Array(length)
  packed[0] = (isLeaf ? 0x20 : 0) | (odd ? 0x10 | at(0) : 0)
  for (let i = 1; i < length; i++) {
    const from = 2 * i - 2 + odd
    packed[i] = (at(from) << 4) | at(from + 1)
  }
  return packed.subarray(0, length)
}

/** Writes `[path, value]` at 0 and returns its length. */
export const writeLeaf = (target: Uint8Array, path: Uint8Array, depth: number, value: Uint8Array): number => {
  const packed = packNibbles(path.length * 2 - depth, true, (i) => nibble(path, depth + i))
  return writePair(target, packed, value, undefined)
}

/** Writes `[extension, reference]` at 0 and returns its length. */
export const writeExtension = (target: Uint8Array, extension: Uint8Array, ref: Uint8Array): number => {
  const packed = packNibbles(extension.length, false, (i) => extension[i] as number)
  // A short reference is the child's encoding itself, not a string.
  return ref.length < 32
    ? writePair(target, packed, undefined, ref)
    : writePair(target, packed, ref, undefined)
}

/** Writes the branch alone, without its extension, at 0 and returns its length. */
export const writeBranch = (target: Uint8Array, branch: Branch, value: Uint8Array | undefined): number => {
  let payload = 0
  for (let i = 0; i < terminal; i++) {
    const length = branch.refLength(i)
    payload += length === 32 ? 33 : length === 0 ? 1 : length
  }
  payload += value ? stringLength(value) : 1
  let at = writeHeader(target, 0, 0xc0, payload)
  for (let i = 0; i < terminal; i++) {
    const length = branch.refLength(i)
    if (length === 0) {
      target[at++] = 0x80
      continue
    }
    if (length === 32) target[at++] = 0xa0
    at = branch.copyRef(i, target, at)
  }
  if (!value) {
    target[at] = 0x80
    return at + 1
  }
  return writeString(target, at, value)
}

const writePair = (
  target: Uint8Array,
  first: Uint8Array,
  text: Uint8Array | undefined,
  raw: Uint8Array | undefined,
): number => {
  const payload = stringLength(first) + (text ? stringLength(text) : (raw as Uint8Array).length)
  let at = writeHeader(target, 0, 0xc0, payload)
  at = writeString(target, at, first)
  if (text) return writeString(target, at, text)
  target.set(raw as Uint8Array, at)
  return at + (raw as Uint8Array).length
}
