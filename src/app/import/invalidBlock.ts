import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'

type FieldValue = bigint | number | string | Uint8Array | undefined

const show = (value: FieldValue): string => {
  if (value === undefined) return 'none'
  return value instanceof Uint8Array ? toHex(value) : String(value)
}

/** Thrown if a block violates the rules or differs from the result of its execution. The message is one line. */
export class InvalidBlockError extends Error {
  override readonly name = 'InvalidBlockError'
  readonly number: bigint
  readonly field: string

  constructor(number: bigint, field: string, expected: FieldValue, got: FieldValue) {
    super(`block ${number}: ${field}: expected ${show(expected)}, got ${show(got)}`)
    this.number = number
    this.field = field
  }
}

/** Creates the errors of one block, or of one of its ommers. */
export class BlockChecks {
  readonly #number: bigint
  readonly #prefix: string

  constructor(number: bigint, prefix = '') {
    this.#number = number
    this.#prefix = prefix
  }

  scopedTo(part: string): BlockChecks {
    return new BlockChecks(this.#number, `${this.#prefix}${part}.`)
  }

  error(field: string, expected: FieldValue, got: FieldValue): InvalidBlockError {
    return new InvalidBlockError(this.#number, `${this.#prefix}${field}`, expected, got)
  }

  assertEqual(field: string, expected: FieldValue, got: FieldValue): void {
    const isSame =
      expected instanceof Uint8Array && got instanceof Uint8Array
        ? equalBytes(expected, got)
        : expected === got
    if (!isSame) throw this.error(field, expected, got)
  }
}
