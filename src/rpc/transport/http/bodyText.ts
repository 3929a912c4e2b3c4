import { isUtf8 } from 'node:buffer'

/** Stands for a character in text that was not UTF-8. */
const replacement = '\ufffd'

/** Returns the text of a body. Bytes that are not UTF-8 give a text that the parser rejects as invalid JSON. */
export const bodyText = (bytes: Buffer, from: number, to: number): string => {
  const text = bytes.toString('utf8', from, to)
  // The character may have been sent, too.
  return text.includes(replacement) && !isUtf8(bytes.subarray(from, to)) ? '' : text
}
