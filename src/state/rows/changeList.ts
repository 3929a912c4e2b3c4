import { heightBytes } from './rows.ts'

/**
 * The changes of one height: for each versioned table the keys that got a version, and the storage that was dropped
 * as a whole. Reverts use it (with the history of trie nodes), and pruning when the height becomes the oldest.
 *
 *   2 × (count · (length · key)…) · count · (address ‖ incarnation)…
 */
export interface ChangeList {
  readonly keys: readonly (readonly Uint8Array[])[]
  readonly dropped: readonly Uint8Array[]
}

const droppedBytes = 20 + heightBytes

export const encodeChangeList = ({ keys, dropped }: ChangeList): Uint8Array => {
  let size = 4 + dropped.length * droppedBytes
  for (const list of keys) {
    size += 4
    for (const key of list) size += 1 + key.length
  }
  const bytes = Buffer.allocUnsafeSlow(size)
  let at = 0
  for (const list of keys) {
    at = bytes.writeUInt32BE(list.length, at)
    for (const key of list) {
      bytes[at] = key.length
      bytes.set(key, at + 1)
      at += 1 + key.length
    }
  }
  at = bytes.writeUInt32BE(dropped.length, at)
  for (const prefix of dropped) {
    bytes.set(prefix, at)
    at += droppedBytes
  }
  return bytes
}

/** Throws if a list does not end within the row: a count that is damaged would be read for as long as there is memory. */
export const decodeChangeList = (row: Uint8Array): ChangeList => {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength)
  const keys: Uint8Array[][] = []
  let at = 0
  for (let table = 0; table < 2; table++) {
    const list: Uint8Array[] = []
    const count = bytes.readUInt32BE(at)
    at += 4
    for (let i = 0; i < count; i++) {
      const end = at + 1 + (bytes[at] ?? bytes.length)
      assertWithin(end, bytes)
      list.push(bytes.subarray(at + 1, end))
      at = end
    }
    keys.push(list)
  }
  const dropped: Uint8Array[] = []
  const count = bytes.readUInt32BE(at)
  at += 4
  assertWithin(at + count * droppedBytes, bytes)
  for (let i = 0; i < count; i++) {
    dropped.push(bytes.subarray(at, at + droppedBytes))
    at += droppedBytes
  }
  return { keys, dropped }
}

const assertWithin = (end: number, { length }: Uint8Array): void => {
  if (end > length) throw new RangeError('a change list does not end where its row ends')
}
