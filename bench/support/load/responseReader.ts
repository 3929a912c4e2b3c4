const headEnd = Buffer.from('\r\n\r\n')
const errorMember = Buffer.from('"error"')
/** Errors of JSON-RPC are short; a longer body is not searched. */
const longestError = 600
const lineFeed = 0x0a

type OnResponse = (isError: boolean, bytes: number) => void

/**
 * Reads the responses of one connection as their bytes come, without keeping them. It understands as much of HTTP/1.1 as
 * servers of JSON-RPC use: a body with a length, or in chunks.
 */
export class ResponseReader {
  readonly #onResponse: OnResponse
  /** The start of a head that is not complete. */
  #head: Buffer | undefined
  #state: 'head' | 'body' | 'chunkSize' | 'chunk' | 'trailer' = 'head'
  #missing = 0
  #bytes = 0
  #isError = false
  #line = ''

  constructor(onResponse: OnResponse) {
    this.#onResponse = onResponse
  }

  push(received: Buffer): void {
    let data = received
    let at = 0
    if (this.#head !== undefined) {
      data = Buffer.concat([this.#head, received])
      this.#head = undefined
    }
    while (at < data.length) at = this.#state === 'head' ? this.#readHead(data, at) : this.#readBody(data, at)
  }

  #readHead(data: Buffer, at: number): number {
    const end = data.indexOf(headEnd, at)
    if (end < 0) {
      this.#head = Buffer.from(data.subarray(at)) // the caller uses its buffer again
      return data.length
    }
    const head = data.toString('latin1', at, end)
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
    const bodyAt = end + headEnd.length
    this.#isError = !head.startsWith('HTTP/1.1 200')
    this.#bytes = 0
    if (length === undefined) {
      this.#state = 'chunkSize'
      this.#line = ''
      return bodyAt
    }
    this.#missing = Number(length)
    this.#state = 'body'
    if (this.#missing < longestError)
      this.#isError ||= data.subarray(bodyAt, bodyAt + this.#missing).includes(errorMember)
    if (this.#missing === 0) this.#complete()
    return bodyAt
  }

  #readBody(data: Buffer, at: number): number {
    if (this.#state === 'chunkSize' || this.#state === 'trailer') return this.#readLine(data, at)
    const taken = Math.min(this.#missing, data.length - at)
    this.#missing -= taken
    if (this.#state === 'body') {
      this.#bytes += taken
      if (this.#missing === 0) this.#complete()
    } else if (this.#missing === 0) this.#state = 'chunkSize'
    return at + taken
  }

  /** Reads a line of the chunks' framing; there are few. */
  #readLine(data: Buffer, at: number): number {
    const end = data.indexOf(lineFeed, at)
    this.#line += data.toString('latin1', at, end < 0 ? data.length : end)
    if (end < 0) return data.length
    const line = this.#line.trim()
    this.#line = ''
    if (this.#state === 'trailer') {
      if (line === '') this.#complete()
      return end + 1
    }
    const size = Number.parseInt(line, 16)
    if (Number.isNaN(size)) throw new Error(`not the size of a chunk: ${line.slice(0, 80)}`)
    this.#bytes += size
    this.#missing = size + 2 // with the line's end behind it
    this.#state = size === 0 ? 'trailer' : 'chunk'
    if (size > 0 && size < longestError && this.#bytes === size)
      this.#isError ||= data.subarray(end + 1, end + 1 + size).includes(errorMember)
    return end + 1
  }

  #complete(): void {
    this.#state = 'head'
    this.#onResponse(this.#isError, this.#bytes)
  }
}
