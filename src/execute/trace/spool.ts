import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeAll } from '../../base/files/writeAll.ts'
import { withTransfer } from '../../base/threads/threadRpc.ts'
import type { TraceSink } from '../../evm/tracers/output.ts'
import { TraceError } from '../../evm/tracers/tracer.ts'
import { releaseSpoolSpace, type SpoolFile, takeSpoolSpace } from './spoolRoom.ts'
import type { TraceTaskResult } from './traceTask.ts'

/** The most bytes that are held in memory; a longer trace goes to the file. */
export const maxMemoryBytes = 8_000_000

/**
 * Collects the text of a trace until it is complete, so that a trace that fails can still be answered with an error.
 */
export class TraceSpool implements TraceSink {
  readonly #spoolFile: SpoolFile
  readonly #maxBytes: number
  #chunks: Uint8Array[] = []
  #size = 0
  #file: number | undefined

  constructor(spoolFile: SpoolFile, maxBytes: number) {
    this.#spoolFile = spoolFile
    this.#maxBytes = maxBytes
  }

  write(bytes: Uint8Array): void {
    this.#size += bytes.length
    if (this.#size > this.#maxBytes) throw traceTooLarge(this.#maxBytes)
    if (this.#file === undefined && this.#size > maxMemoryBytes) this.#open()
    if (this.#file === undefined) this.#chunks.push(new Uint8Array(bytes))
    else {
      takeSpoolSpace(this.#spoolFile, this.#size)
      writeAll(this.#file, bytes)
    }
  }

  finish(): TraceTaskResult {
    if (this.#file === undefined) return this.#join()
    closeSync(this.#file)
    this.#file = undefined
    return { kind: 'file', size: this.#size }
  }

  /** Returns the text in memory of its own, which the thread that asked for it takes over. */
  #join(): TraceTaskResult {
    const [first] = this.#chunks
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : new Uint8Array(this.#size)
    if (bytes !== first) {
      let at = 0
      for (const chunk of this.#chunks) {
        bytes.set(chunk, at)
        at += chunk.length
      }
    }
    this.#chunks = []
    return withTransfer({ kind: 'text', bytes }, [bytes.buffer])
  }

  discard(): void {
    this.#chunks = []
    if (this.#file === undefined) return
    closeSync(this.#file)
    this.#file = undefined
    rmSync(this.#spoolFile.path, { force: true })
    releaseSpoolSpace(this.#spoolFile)
  }

  #open(): void {
    mkdirSync(dirname(this.#spoolFile.path), { recursive: true, mode: 0o700 })
    this.#file = openSync(this.#spoolFile.path, 'wx', 0o600)
    for (const chunk of this.#chunks) writeAll(this.#file, chunk)
    this.#chunks = []
  }
}

export const traceTooLarge = (maxBytes: number): TraceError =>
  new TraceError(`the trace is too large: more than ${maxBytes} bytes (json-rpc.trace-max-size)`)
