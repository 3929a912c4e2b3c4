import { maxHeadLength, mayBecomeHead, type OrdinaryHead, readHead } from './requestHead.ts'

const carriageReturn = 0x0d
const zero = 0x30

/** The longest number of digits of a length. */
const maxDigits = 9

/**
 * Reads the heads of the requests of one connection. A client sends the same head again and again, but for the length of
 * the body: it is parsed once and then only compared.
 */
export class HeadReader {
  #head: OrdinaryHead | undefined
  /** The bytes of the last head. */
  #bytes: Buffer | undefined
  /** The head that was read last begins the body here, and says that the body has this length. */
  bodyFrom = 0
  bodyLength = 0

  /** Returns the head that begins at `from`; `partial` if more must come, `other` if it is not an ordinary one. */
  read(bytes: Buffer, from: number): OrdinaryHead | 'partial' | 'other' {
    if (this.#head !== undefined && this.#isSame(this.#head, bytes, from)) return this.#head
    const end = bytes.indexOf('\r\n\r\n', from, 'latin1')
    if (end < 0) return mayBecomeHead(bytes.toString('latin1', from)) ? 'partial' : 'other'
    const to = end + 4
    const head = to - from > maxHeadLength ? undefined : readHead(bytes.toString('latin1', from, to))
    if (head === undefined) return 'other'
    this.#head = head
    this.#bytes = Buffer.from(bytes.subarray(from, to))
    this.bodyFrom = to
    this.bodyLength = Number(head.headers['content-length'])
    return head
  }

  /** Returns whether the bytes are those of the last head, but for the digits of the length, which it reads. */
  #isSame({ lengthFrom, lengthTo }: OrdinaryHead, bytes: Buffer, from: number): boolean {
    const last = this.#bytes as Buffer // there is one where there is a head
    const digitsFrom = from + lengthFrom
    let at = digitsFrom
    let length = 0
    for (; at < bytes.length; at++) {
      const digit = (bytes[at] as number) - zero
      if (digit < 0 || digit > 9 || (digit === 0 && at === digitsFrom)) break
      length = 10 * length + digit
    }
    if (at === digitsFrom || at - digitsFrom > maxDigits || bytes[at] !== carriageReturn) return false
    const bodyFrom = at + last.length - lengthTo
    if (bodyFrom > bytes.length) return false
    if (!isEqual(last, 0, lengthFrom, bytes, from) || !isEqual(last, lengthTo, last.length, bytes, at))
      return false
    this.bodyFrom = bodyFrom
    this.bodyLength = length
    return true
  }
}

/** Returns whether a part of `last` is in `bytes` at `at`. In a loop, because a native call costs more than a head has. */
const isEqual = (last: Buffer, from: number, to: number, bytes: Buffer, at: number): boolean => {
  for (let index = from, other = at; index < to; index++, other++)
    if (last[index] !== bytes[other]) return false
  return true
}
