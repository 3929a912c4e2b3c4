import { concatBytes } from '../../../base/encoding/bytes.ts'
import { type ChainError, limitExceeded } from '../../../chain/chainError.ts'
import type { StreamedJson } from '../../../chain/port/traces.ts'

/**
 * The maximum size of a response. CometBFT closes its connection to the application, and stops the node, for a message
 * of 100 MiB (abci/types, maxMsgSize), and encodes every response as base64 in JSON.
 */
export const maxResponseBytes = 32 * 1024 * 1024

export const responseTooLargeError = (size: number): ChainError =>
  limitExceeded(
    `the response has ${size} bytes, but a query of the application returns at most ${maxResponseBytes}`,
  )

/** Reads the whole text and closes it. */
export const readBounded = async (text: StreamedJson): Promise<Uint8Array> => {
  try {
    if (text.size > maxResponseBytes) throw responseTooLargeError(text.size)
    if (text.bytes !== undefined) return text.bytes
    const pieces: Uint8Array[] = []
    for await (const piece of text.read()) pieces.push(piece)
    return concatBytes(...pieces)
  } finally {
    text.dispose()
  }
}
