import { toHex } from '../../base/encoding/hex.ts'
import {
  backslash,
  closeBrace,
  closeBracket,
  openBrace,
  openBracket,
  quote,
} from '../../base/encoding/jsonCodes.ts'

/**
 * Adds to each trace of a block the hash of its transaction, which geth has and the EVM module omits. The text is
 * copied unchanged, because numbers may be larger than JavaScript's. Returns undefined if the text is not a list with
 * an object for each transaction.
 */
export const addTransactionHashes = (
  json: Uint8Array,
  hashes: readonly Uint8Array[],
): Uint8Array | undefined => {
  const parts: Uint8Array[] = []
  let depth = 0
  let copied = 0
  let count = 0
  let isInText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number
    if (isInText) {
      if (byte === backslash) at++
      else if (byte === quote) isInText = false
    } else if (byte === quote) isInText = true
    else if (byte === openBracket || byte === openBrace) {
      if (depth === 1) {
        const hash = hashes[count++]
        if (byte !== openBrace || hash === undefined) return undefined
        parts.push(json.subarray(copied, at + 1), memberOf(hash, isEmptyAt(json, at + 1)))
        copied = at + 1
      }
      depth++
    } else if (byte === closeBracket || byte === closeBrace) depth--
  }
  if (depth !== 0 || isInText || count !== hashes.length) return undefined
  parts.push(json.subarray(copied))
  return Buffer.concat(parts)
}

const memberOf = (hash: Uint8Array, isOnly: boolean): Uint8Array =>
  Buffer.from(`"txHash":"${toHex(hash)}"${isOnly ? '' : ','}`)

const isEmptyAt = (json: Uint8Array, at: number): boolean => json[at] === closeBrace
