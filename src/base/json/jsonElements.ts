import { closeBrace, closeBracket, comma, openBrace, openBracket, quote, space } from './jsonCodes.ts'
import { endOfText } from './jsonTokens.ts'

/**
 * Returns the texts of the elements of a JSON list, as views of it with the blanks around them; undefined if the text is
 * not a list. It does not check the JSON of the elements.
 */
export const listElements = (json: Uint8Array): Uint8Array[] | undefined => {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
  if (bytes[0] !== openBracket) return undefined
  const elements: Uint8Array[] = []
  let depth = 0
  let start = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfText(bytes, at + 1)
    else if (byte === openBracket || byte === openBrace) depth++
    else if (byte === closeBracket || byte === closeBrace) {
      if (--depth > 0) continue
      if (at > start) elements.push(json.subarray(start, at))
      return bytes.subarray(at + 1).every((rest) => rest <= space) ? elements : undefined
    } else if (byte === comma && depth === 1) {
      elements.push(json.subarray(start, at))
      start = at + 1
    }
  }
  return undefined
}
