import { toBigInt } from '../../base/encoding/bytes.ts'
import { RlpError, type RlpItem } from '../../base/encoding/rlp.ts'

/** Reads the fields of one RLP list in order; every error names the list and the field. */
export class RlpListReader {
  readonly count: number
  readonly #items: readonly RlpItem[]
  readonly #name: string
  #at = 0

  constructor(item: RlpItem | undefined, list: string) {
    if (item === undefined || item instanceof Uint8Array) throw new RlpError(`${list} is not a list`)
    this.#items = item
    this.#name = list
    this.count = item.length
  }

  bytes(field: string, maxLength = Number.POSITIVE_INFINITY): Uint8Array {
    const item = this.#items[this.#at++]
    if (!(item instanceof Uint8Array)) throw this.#error(field, 'is not a string')
    if (item.length > maxLength) throw this.#error(field, `is over ${maxLength} bytes`)
    return item
  }

  fixed(field: string, length: number): Uint8Array {
    const bytes = this.bytes(field)
    if (bytes.length !== length) throw this.#error(field, `has ${bytes.length} bytes instead of ${length}`)
    return bytes
  }

  integer(field: string, maxLength: number): bigint {
    const bytes = this.bytes(field, maxLength)
    if (bytes[0] === 0) throw this.#error(field, 'has leading zeros')
    return toBigInt(bytes)
  }

  list(field: string): readonly RlpItem[] {
    const item = this.#items[this.#at++]
    if (item === undefined || item instanceof Uint8Array) throw this.#error(field, 'is not a list')
    return item
  }

  /** Checks that the list has no more fields; called after the last one. */
  end(): void {
    if (this.#at !== this.count)
      throw new RlpError(`${this.#name} has ${this.count} fields instead of ${this.#at}`)
  }

  #error(field: string, problem: string): RlpError {
    return new RlpError(`${field} of ${this.#name} ${problem}`)
  }
}
