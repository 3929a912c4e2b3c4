/**
 * Memory for long texts that are written to a socket at once and never looked at again. Each of them taken again from the
 * allocator costs more than to fill it: the kernel clears its pages, and the collector of the runtime walks the whole heap
 * whenever enough of them have come together.
 *
 * Who has the bytes alone may give them back, and never uses them again. Who does not, or does not know, need not: they are
 * collected as ever.
 */

/** The memory that waits to be lent again. */
const maxFreeBytes = 8 * 2 ** 20
/** Longer texts are rare, and shorter ones are not a burden. */
const maxLentBytes = 4 * 2 ** 20
const step = 65_536

const free: ArrayBuffer[] = []
let freeBytes = 0
/** What is lent and may be given back. */
const lent = new WeakSet<Uint8Array>()

/** Returns bytes that are not cleared. */
export const lendBytes = (length: number): Uint8Array => {
  if (length > maxLentBytes) return new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
  const bytes = new Uint8Array(takeFree(length) ?? allocate(length), 0, length)
  lent.add(bytes)
  return bytes
}

/** Reclaims bytes that nobody uses any more. Those that were not lent are left alone. */
export const giveBack = (bytes: Uint8Array): void => {
  if (!lent.delete(bytes)) return
  const { buffer } = bytes
  if (freeBytes + buffer.byteLength > maxFreeBytes) return
  free.push(buffer as ArrayBuffer) // as `lendBytes` made it
  freeBytes += buffer.byteLength
}

const allocate = (length: number): ArrayBuffer =>
  Buffer.allocUnsafeSlow(Math.ceil(length / step) * step).buffer as ArrayBuffer

/**
 * The last one that was given back comes first: the processor's caches still have it. None that is much longer, because
 * who does not read its response is charged with the length of that.
 */
const takeFree = (length: number): ArrayBuffer | undefined => {
  const longest = Math.max(step, 2 * length)
  for (let index = free.length - 1; index >= 0; index--) {
    const buffer = free[index] as ArrayBuffer
    if (buffer.byteLength < length || buffer.byteLength > longest) continue
    free.splice(index, 1)
    freeBytes -= buffer.byteLength
    return buffer
  }
  return undefined
}
