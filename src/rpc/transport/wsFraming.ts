import { emptyBytes } from '../../base/encoding/bytes.ts'
import type { Framing } from '../../base/notification.ts'

/** FIN and the opcode for text (RFC 6455, 5.2). Frames of a server are not masked. */
const textFrame = 0x81

const open = (length: number): Uint8Array => {
  if (length < 126) return Uint8Array.of(textFrame, length)
  const isShort = length < 2 ** 16
  const header = Buffer.alloc(isShort ? 4 : 10)
  header[0] = textFrame
  header[1] = isShort ? 126 : 127
  header.writeUIntBE(length, isShort ? 2 : 4, isShort ? 2 : 6)
  return header
}

/** Frames each message as one uncompressed text frame. */
export const textFraming: Framing = { open, close: emptyBytes }

/**
 * Returns a message of `bytes` bytes as one frame, one character a byte, so that a short one is written in one piece without
 * a buffer.
 */
export const frameText = (text: string, bytes: number): string => {
  const head = bytes < 126 ? `\x81${String.fromCharCode(bytes)}` : Buffer.from(open(bytes)).toString('latin1')
  return head + (bytes === text.length ? text : Buffer.from(text).toString('latin1'))
}
