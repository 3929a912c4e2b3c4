import { createReadStream } from 'node:fs'
import { download, TransferError } from '../../base/http/fileTransfer.ts'
import { meansHttpUrl } from '../../base/http/httpUrl.ts'

/** Thrown if a snapshot cannot be read: its file or its server is away. */
export class SnapshotAwayError extends Error {
  override readonly name = 'SnapshotAwayError'
}

/** Reads a snapshot from a file or a URL. Throws a `SnapshotAwayError`. */
export async function* readSnapshotBytes(place: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    if (meansHttpUrl(place)) yield* download(place, { signal, hasOwnEnd: true })
    else yield* createReadStream(place, { signal }) as AsyncIterable<Uint8Array>
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TransferError || (error as NodeJS.ErrnoException).syscall !== undefined)
      throw new SnapshotAwayError(`it cannot be read: ${(error as Error).message}`)
    throw error
  }
}
