import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { printable } from '../../base/encoding/printable.ts'
import { decodeUtf8 } from '../../base/encoding/utf8.ts'
import { panicCode, revertReason } from '../../chain/abi/revertReason.ts'

/** The panic codes of Solidity's documentation in anvil's words. */
const panics: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic/unspecified error'],
  [0x01n, 'assertion failed'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'failed to convert value into enum type'],
  [0x22n, 'storage byte array incorrectly encoded'],
  [0x31n, 'called `.pop()` on an empty array'],
  [0x32n, 'array out-of-bounds access'],
  [0x41n, 'memory allocation error'],
  [0x51n, 'called an invalid internal function'],
])

/** Returns the bytes as text if they can be shown as that. anvil also writes characters that control a terminal. */
const textOf = (bytes: Uint8Array): string | undefined => {
  const text = decodeUtf8(bytes)
  return text === printable(text) && toHex(Buffer.from(text)) === toHex(bytes) ? text : undefined
}

/** Returns the reason of a revert as anvil 1.7 words it; undefined if it says nothing. */
export const anvilReason = (output: Uint8Array): string | undefined => {
  if (output.length === 0) return undefined
  const code = panicCode(output)
  if (code !== undefined) {
    const hex = toQuantity(code).slice(2).padStart(2, '0')
    return `panic: ${panics.get(code) ?? 'unknown code'} (0x${hex})`
  }
  const known = revertReason(output)
  if (known !== undefined) return known
  const text = textOf(output)
  if (text !== undefined) return text
  if (output.length < 4) return `custom error bytes ${toHex(output)}`
  const rest = output.subarray(4)
  const selector = `custom error ${toHex(output.subarray(0, 4))}`
  return rest.length === 0 ? selector : `${selector}: ${textOf(rest) ?? toHex(rest).slice(2)}`
}
