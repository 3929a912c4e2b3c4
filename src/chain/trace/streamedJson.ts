import { createReadStream, openSync, rmSync } from 'node:fs'
import type { StreamedJson } from '../port/traces.ts'

/** Text that memory holds. */
export const toInMemoryJson = (bytes: Uint8Array): StreamedJson => ({
  size: bytes.length,
  bytes,
  read: async function* () {
    yield bytes
  },
  dispose: () => {},
})

/** The file has no name any more once it is open, so that nothing is left of it whatever happens. */
export const openSpooledJson = (path: string, size: number): StreamedJson => {
  const file = openSync(path, 'r')
  rmSync(path, { force: true })
  const stream = createReadStream('', { fd: file, highWaterMark: 1 << 20 })
  return { size, bytes: undefined, read: () => stream, dispose: () => stream.destroy() }
}
