const hashLength = 32
const segmentHashes = 4_096

export interface RingRead {
  readonly hashes: readonly Uint8Array[]
  /** The number at which the next read starts. */
  readonly next: number
  /** The number of requested hashes that are not kept any more. */
  readonly missed: number
}

/** The newest hashes, numbered in the order of their arrival. All readers share it. */
export class HashRing {
  /** The number that the next hash gets. */
  next = 0
  readonly #maxSegments: number
  #segments: Uint8Array[] = []
  /** The number of the first hash that is kept, a multiple of the segment size. */
  #first = 0

  constructor(maxHashes: number) {
    this.#maxSegments = Math.max(1, Math.ceil(maxHashes / segmentHashes))
  }

  push(hash: Uint8Array): void {
    const at = this.next % segmentHashes
    if (at === 0) {
      this.#segments.push(new Uint8Array(segmentHashes * hashLength))
      if (this.#segments.length > this.#maxSegments) {
        this.#segments.shift()
        this.#first += segmentHashes
      }
    }
    this.#segments.at(-1)?.set(hash, at * hashLength)
    this.next++
  }

  read(from: number, limit: number): RingRead {
    const start = Math.max(from, this.#first)
    const end = Math.min(this.next, start + limit)
    const hashes: Uint8Array[] = []
    for (let number = start; number < end; number++) {
      const segment = this.#segments[Math.floor((number - this.#first) / segmentHashes)]
      const at = (number % segmentHashes) * hashLength
      if (segment) hashes.push(segment.subarray(at, at + hashLength))
    }
    return { hashes, next: end, missed: start - from }
  }

  /** Removes all hashes, when there are no readers. The numbers continue. */
  clear(): void {
    this.#segments = []
    this.next = Math.ceil(this.next / segmentHashes) * segmentHashes
    this.#first = this.next
  }
}
