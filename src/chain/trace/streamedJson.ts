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

/** Returns text that is known to fit into memory, and releases it. */
export const readStreamedText = async (json: StreamedJson): Promise<Buffer> => {
  try {
    const text = Buffer.allocUnsafe(json.size)
    let at = 0
    for await (const part of json.read()) {
      text.set(part, at)
      at += part.length
    }
    return text.subarray(0, at)
  } finally {
    json.dispose()
  }
}

/** Returns its value. */
export const readStreamedJson = async <T>(json: StreamedJson): Promise<T> =>
  JSON.parse((await readStreamedText(json)).toString()) as T // written by a tracer, whose results the caller knows

/**
 * Opens the text in a file. The file is unlinked as soon as it is open, so that nothing is left of it
 * whatever happens. `onClose` is called when its space is free again.
 */
export const openSpooledJson = (path: string, size: number, onClose: () => void): StreamedJson => {
  const file = openSync(path, 'r')
  rmSync(path, { force: true })
  const stream = createReadStream('', { fd: file, highWaterMark: 1 << 20 }).once('close', onClose)
  return { size, bytes: undefined, read: () => stream, dispose: () => stream.destroy() }
}
