import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { errorCode } from './writeAll.ts'

const chunkBytes = 65_536
const pauseMs = 10
/** How long a pipe whose writer says nothing is waited for. */
const maxPauses = 1_000

/**
 * Reads a text file that an operator names, whatever it is: a device without an end is given up at `maxBytes`, a pipe
 * without a writer is empty, and one whose writer says nothing for ten seconds is an error.
 */
export const readTextFile = (path: string, maxBytes: number): string => {
  // Non-blocking, because opening a pipe would wait for a writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    if (fstatSync(file).isDirectory()) throw new Error(`EISDIR: ${path} is a folder`)
    const bytes = readToEnd(file, maxBytes)
    if (bytes === undefined) throw new Error(`${path} has more than ${maxBytes} bytes`)
    return bytes.toString('utf8')
  } finally {
    closeSync(file)
  }
}

/** Reads an open file to its end; returns undefined if it has more than `maxBytes`, as a device may have no end. */
export const readToEnd = (file: number, maxBytes: number): Buffer | undefined => {
  const chunks: Buffer[] = []
  let total = 0
  for (let pauses = 0; ; ) {
    const chunk = Buffer.allocUnsafe(chunkBytes)
    let count = 0
    try {
      count = readSync(file, chunk, 0, chunkBytes, null)
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN' || ++pauses > maxPauses) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
      continue
    }
    if (count === 0) return Buffer.concat(chunks)
    pauses = 0
    total += count
    if (total > maxBytes) return undefined
    chunks.push(chunk.subarray(0, count))
  }
}
