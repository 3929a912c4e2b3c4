import { isAscii, isUtf8 } from 'node:buffer'
import { newLongSlice, runInSlices, TimeSlice } from '../../../base/threads/timeSlice.ts'

/** Stands for a character in text that was not UTF-8. */
const replacement = '\ufffd'

/** Returns the text of a body. Bytes that are not UTF-8 give a text that the parser rejects as invalid JSON. */
export const bodyText = (bytes: Buffer, from: number, to: number): string => {
  const text = bytes.toString('utf8', from, to)
  // The character may have been sent, too.
  return text.includes(replacement) && !isUtf8(bytes.subarray(from, to)) ? '' : text
}

const pieceBytes = 131_072

/** The length from which on it takes so long to make text of a body that it waits for its turn. */
export const longText = 262_144

/** Returns the text of a long body when it has had its turns. */
export const readLongText = async (bytes: Buffer): Promise<string> => {
  await TimeSlice.turn()
  return (await runInSlices(longBodyText(bytes), newLongSlice(), () => false)) ?? ''
}

/** Does the same for a long body, and yields after each piece: characters beyond ASCII take ten times as long. */
export function* longBodyText(bytes: Buffer): Generator<undefined, string> {
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (!isUtf8(bytes)) return ''
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; ) {
    let end = Math.min(at + pieceBytes, bytes.length)
    while (end < bytes.length && isWithinCharacter(bytes[end] as number)) end-- // end is below the length
    pieces.push(bytes.toString('utf8', at, end))
    at = end
    yield
  }
  return pieces.join('')
}

const isWithinCharacter = (byte: number): boolean => (byte & 0xc0) === 0x80
