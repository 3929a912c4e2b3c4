import { createReadStream, openSync, rmSync } from 'node:fs'
import type { StreamedJson } from '../port/traces.ts'

/** Returns text that is in memory. */
export const toInMemoryJson = (bytes: Uint8Array): StreamedJson => ({
  size: bytes.length,
  bytes,
  read: async function* () {
    yield bytes
  },
  dispose: () => {},
})

/**
 * Opens the text in a file. The file is unlinked as soon as it is open, so that nothing is left of it
 * whatever happens.
 */
export const openSpooledJson = (path: string, size: number): StreamedJson => {
  const file = openSync(path, 'r')
  rmSync(path, { force: true })
  const stream = createReadStream('', { fd: file, highWaterMark: 1 << 20 })
  return { size, bytes: undefined, read: () => stream, dispose: () => stream.destroy() }
}
