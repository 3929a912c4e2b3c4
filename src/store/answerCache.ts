import { LRUCache } from 'lru-cache'

/** The large answers about a block. */
const kinds = { full: 0, hashes: 1, receipts: 2 } as const

export type AnswerKind = keyof typeof kinds

interface Answer {
  /** The row of the header of the block that it is about. */
  readonly header: Uint8Array
  readonly text: Uint8Array
}

/** Smaller ones are read faster than they are kept. */
const leastLength = 16_384

export const isWorthKeeping = ({ length }: Uint8Array): boolean => length >= leastLength

/** Large answers that were given lately, up to a number of bytes. */
export class AnswerCache {
  readonly #entries: LRUCache<number, Answer>

  constructor(maxBytes: number) {
    this.#entries = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ text }) => text.length })
  }

  get(number: number, kind: AnswerKind): Answer | undefined {
    return this.#entries.get(keyOf(number, kind))
  }

  set(number: number, kind: AnswerKind, answer: Answer): void {
    this.#entries.set(keyOf(number, kind), answer)
  }

  delete(number: number, kind: AnswerKind): void {
    this.#entries.delete(keyOf(number, kind))
  }
}

const keyOf = (number: number, kind: AnswerKind): number => number * 3 + kinds[kind]
