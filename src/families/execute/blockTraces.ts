import { toHex } from '../../base/encoding/hex.ts'
import { closeBrace, openBrace, space } from '../../base/json/jsonCodes.ts'
import { listElements } from '../../base/json/jsonElements.ts'

/**
 * Adds to each trace of a block the hash of its transaction, which geth has and the EVM module omits. The text is
 * copied unchanged, because numbers may be larger than JavaScript's. Returns undefined if the text is not a list with
 * an object for each transaction.
 */
export const addTransactionHashes = (
  json: Uint8Array,
  hashes: readonly Uint8Array[],
): Uint8Array | undefined => {
  const traces = listElements(json)
  if (traces?.length !== hashes.length) return undefined
  const parts: Uint8Array[] = []
  let copied = 0
  for (const [index, hash] of hashes.entries()) {
    const trace = traces[index] as Uint8Array
    const first = trace.findIndex((byte) => byte > space)
    if (trace[first] !== openBrace) return undefined
    const at = trace.byteOffset - json.byteOffset + first + 1
    parts.push(json.subarray(copied, at), memberOf(hash, json[at] === closeBrace))
    copied = at
  }
  parts.push(json.subarray(copied))
  return Buffer.concat(parts)
}

const memberOf = (hash: Uint8Array, isOnly: boolean): Uint8Array =>
  Buffer.from(`"txHash":"${toHex(hash)}"${isOnly ? '' : ','}`)
