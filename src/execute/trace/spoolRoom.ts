import { dirname } from 'node:path'
import { freeBytes } from '../../base/files/fileSystem.ts'
import { limitExceeded } from '../../chain/chainError.ts'

/** Space is taken in steps of this size, so that a counter of 32 bits is enough and the disk is looked at rarely. */
const stepBytes = 1 << 20

/** The file of one trace, and what its worker counts it with; the counters are shared by all threads of the process. */
export interface SpoolFile {
  readonly path: string
  /** The steps that all traces hold. */
  readonly all: Int32Array
  /** The steps that this one holds; negative once they were given back. */
  readonly own: Int32Array
  readonly maxBytes: number
  /** The free space that is left for blocks. */
  readonly minFreeBytes: number
}

/** The disk space of traces that nobody has read yet: as much as all of them may take together. */
export class SpoolRoom {
  readonly #all = new Int32Array(new SharedArrayBuffer(4))
  readonly #limits: Pick<SpoolFile, 'maxBytes' | 'minFreeBytes'>

  constructor(limits: Pick<SpoolFile, 'maxBytes' | 'minFreeBytes'>) {
    this.#limits = limits
  }

  /** The bytes that are taken. */
  get usedBytes(): number {
    return Atomics.load(this.#all, 0) * stepBytes
  }

  open(path: string): SpoolFile {
    return { path, all: this.#all, own: new Int32Array(new SharedArrayBuffer(4)), ...this.#limits }
  }
}

/** What an account holds that has given its space back for good. */
const released = -1

/** Reserves disk space for a file that grows to a size. Throws if too little is left; the client gets -32005. */
export const takeSpoolSpace = (file: SpoolFile, size: number): void => {
  const { path, all, own, maxBytes, minFreeBytes } = file
  const wanted = Math.ceil(size / stepBytes)
  const held = Atomics.load(own, 0)
  if (held >= wanted) return
  // Only the worker of the trace takes, so that another value is that of a release.
  if (held === released || Atomics.compareExchange(own, 0, held, wanted) !== held)
    throw new Error('the trace was given up')
  const steps = wanted - held
  if (Atomics.add(all, 0, steps) + steps > Math.ceil(maxBytes / stepBytes))
    throw limitExceeded(
      `traces that nobody has read yet take ${maxBytes} bytes of disk (json-rpc.trace-spool): read them, or try again later`,
    )
  if (minFreeBytes > 0 && freeBytes(dirname(path)) < minFreeBytes + steps * stepBytes)
    throw limitExceeded(
      'the disk has no room for a long trace beside that of blocks (min-free-space): ask for less, or free some space',
    )
}

/**
 * Gives back what a trace holds, for good: its worker, which may still write when it is ended, gets nothing more. Further
 * calls do nothing.
 */
export const releaseSpoolSpace = ({ all, own }: SpoolFile): void => {
  Atomics.sub(all, 0, Math.max(0, Atomics.exchange(own, 0, released)))
}
