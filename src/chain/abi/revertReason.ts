import { toBigInt } from '../../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { decodeUtf8 } from '../../base/encoding/utf8.ts'

/**
 * The selectors of Error(string) and Panic(uint256), which Solidity's `require`, `revert` and `assert`
 * return.
 */
const errorSelector = '0x08c379a0'
const panicSelector = '0x4e487b71'

/** The panic codes of Solidity's documentation in geth's words, because clients match on them. */
const panicReasons: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

/** Returns the integer at an offset; undefined if the data ends before it. */
const wordAt = (data: Uint8Array, at: bigint): bigint | undefined => {
  if (at + 32n > BigInt(data.length)) return undefined
  return toBigInt(data.subarray(Number(at), Number(at) + 32))
}

/** Decodes an ABI string; its padding may be missing, because some contracts omit it. */
const stringOf = (data: Uint8Array): string | undefined => {
  const offset = wordAt(data, 0n)
  const length = offset === undefined ? undefined : wordAt(data, offset)
  if (offset === undefined || length === undefined) return undefined
  const start = offset + 32n
  if (start + length > BigInt(data.length)) return undefined
  return decodeUtf8(data.subarray(Number(start), Number(start + length)))
}

/** Returns the code of Solidity's Panic(uint256); undefined if the data is something else. */
export const panicCode = (output: Uint8Array): bigint | undefined =>
  toHex(output.subarray(0, 4)) === panicSelector ? wordAt(output.subarray(4), 0n) : undefined

/** Returns the reason of a revert as text; undefined if its data is neither of the two usual errors. */
export const revertReason = (output: Uint8Array): string | undefined => {
  if (toHex(output.subarray(0, 4)) === errorSelector) return stringOf(output.subarray(4))
  const code = panicCode(output)
  return code === undefined
    ? undefined
    : (panicReasons.get(code) ?? `unknown panic code: ${toQuantity(code)}`)
}
