/**
 * Recursive length prefix, strict: the decoder accepts exactly what the encoder writes. Decoded strings are views into
 * the input, so that decoding copies nothing.
 */

export type RlpInput = Uint8Array | readonly RlpInput[]
export type RlpItem = Uint8Array | readonly RlpItem[]

export class RlpError extends Error {
  override readonly name = 'RlpError'
}

/** The deepest nesting, more than Ethereum uses. It keeps hostile input from exhausting the stack. */
const maxDepth = 64

const isList = (item: RlpInput): item is readonly RlpInput[] => Array.isArray(item)

/** Returns the length of the header of a string or list with a payload of this length, below 4 GiB. */
export const headerLength = (payload: number): number => {
  if (payload < 56) return 1
  if (payload < 0x100) return 2
  if (payload < 0x1_0000) return 3
  return payload < 0x100_0000 ? 4 : 5
}

/** Returns the size of a string or list with `content` bytes of payload, including its header. */
const framedLength = (content: number): number => headerLength(content) + content

const contentLength = (list: readonly RlpInput[]): number => {
  let length = 0
  for (const child of list) length += encodedLength(child)
  return length
}

/** Returns the size of an encoded string, including its header. */
export const stringLength = (bytes: Uint8Array): number =>
  bytes.length === 1 && (bytes[0] as number) < 0x80 ? 1 : framedLength(bytes.length)

export const encodedLength = (item: RlpInput): number =>
  isList(item) ? framedLength(contentLength(item)) : stringLength(item)

/** Writes a header (0x80 for strings, 0xc0 for lists) into a buffer and returns the offset of the payload. */
export const writeHeader = (target: Uint8Array, at: number, base: number, payload: number): number => {
  if (payload < 56) {
    target[at] = base + payload
    return at + 1
  }
  const size = headerLength(payload) - 1
  target[at] = base + 55 + size
  for (let index = 0; index < size; index++) target[at + 1 + index] = payload >>> (8 * (size - 1 - index))
  return at + 1 + size
}

/** Writes a string and returns the offset after it. */
export const writeString = (target: Uint8Array, at: number, bytes: Uint8Array): number => {
  if (bytes.length === 1 && (bytes[0] as number) < 0x80) {
    target[at] = bytes[0] as number
    return at + 1
  }
  const start = writeHeader(target, at, 0x80, bytes.length)
  target.set(bytes, start)
  return start + bytes.length
}

const write = (target: Uint8Array, at: number, item: RlpInput): number => {
  if (!isList(item)) return writeString(target, at, item)
  let next = writeHeader(target, at, 0xc0, contentLength(item))
  for (const child of item) next = write(target, next, child)
  return next
}

export const encodeRlp = (item: RlpInput): Uint8Array => {
  const bytes = new Uint8Array(encodedLength(item))
  write(bytes, 0, item)
  return bytes
}

/** Encodes a list whose elements are encoded already. */
export const encodeRlpList = (encodedItems: readonly Uint8Array[]): Uint8Array => {
  let length = 0
  for (const item of encodedItems) length += item.length
  const bytes = new Uint8Array(framedLength(length))
  let at = writeHeader(bytes, 0, 0xc0, length)
  for (const item of encodedItems) {
    bytes.set(item, at)
    at += item.length
  }
  return bytes
}

interface Frame {
  readonly isList: boolean
  readonly start: number
  readonly end: number
}

const readFrame = (bytes: Uint8Array, at: number, limit: number): Frame => {
  if (at >= limit) throw new RlpError('input ends before an item')
  const first = bytes[at] as number
  if (first < 0x80) return { isList: false, start: at, end: at + 1 }
  const list = first >= 0xc0
  const short = first - (list ? 0xc0 : 0x80)
  if (short < 56) {
    const end = at + 1 + short
    if (end > limit) throw new RlpError('item is longer than its input')
    if (!list && short === 1 && (bytes[at + 1] as number) < 0x80)
      throw new RlpError('a byte below 0x80 stands for itself')
    return { isList: list, start: at + 1, end }
  }
  const size = short - 55
  const start = at + 1 + size
  if (start > limit) throw new RlpError('input ends within a length')
  if (bytes[at + 1] === 0) throw new RlpError('length has leading zeros')
  let length = 0
  for (let index = at + 1; index < start; index++) length = length * 256 + (bytes[index] as number)
  if (length < 56) throw new RlpError('length fits the short form')
  if (length > limit - start) throw new RlpError('item is longer than its input')
  return { isList: list, start, end: start + length }
}

const readItem = (bytes: Uint8Array, frame: Frame, depth: number): RlpItem => {
  if (!frame.isList) return bytes.subarray(frame.start, frame.end)
  if (depth === maxDepth) throw new RlpError('lists are nested too deep')
  const items: RlpItem[] = []
  for (let at = frame.start; at < frame.end; ) {
    const child = readFrame(bytes, at, frame.end)
    items.push(readItem(bytes, child, depth + 1))
    at = child.end
  }
  return items
}

/** Decodes exactly one item; throws if bytes follow it. */
export const decodeRlp = (bytes: Uint8Array): RlpItem => {
  const frame = readFrame(bytes, 0, bytes.length)
  if (frame.end !== bytes.length) throw new RlpError('bytes follow the item')
  return readItem(bytes, frame, 0)
}

/**
 * Throws if there are more strings and lists in an item than this, at all depths. Each takes a hundred times the memory of the
 * one byte that it may have, so that this comes before the decoding of what a stranger sent.
 */
export const assertItemCount = (bytes: Uint8Array, most: number): void => {
  let count = 0
  for (let at = 0; at < bytes.length; count++) {
    if (count === most) throw new RlpError(`there are more than ${most} items`)
    const { start, end, isList } = readFrame(bytes, at, bytes.length)
    // The items of a list follow its header.
    at = isList ? start : end
  }
}

/** Returns the encoded items of a concatenation, such as the file of an exported chain. */
export const splitRlp = (bytes: Uint8Array): Uint8Array[] => {
  const items: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const { end } = readFrame(bytes, at, bytes.length)
    items.push(bytes.subarray(at, end))
    at = end
  }
  return items
}
