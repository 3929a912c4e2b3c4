import { backslash, closeBrace, closeBracket, comma, openBrace, openBracket, quote } from './jsonCodes.ts'

/** Returns the texts of the elements of a JSON list, as views of it. The text has to be a list without blanks. */
export const listElements = (json: Uint8Array): Uint8Array[] => {
  const elements: Uint8Array[] = []
  let depth = 0
  let start = 1
  let isInText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number
    if (isInText) {
      if (byte === backslash) at++
      else if (byte === quote) isInText = false
    } else if (byte === quote) isInText = true
    else if (byte === openBracket || byte === openBrace) depth++
    else if (byte === closeBracket || byte === closeBrace) {
      depth--
      if (depth === 0 && at > start) elements.push(json.subarray(start, at))
    } else if (byte === comma && depth === 1) {
      elements.push(json.subarray(start, at))
      start = at + 1
    }
  }
  return elements
}
