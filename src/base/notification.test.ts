import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { type Framing, Notification } from './notification.ts'

/** A length in one digit before, a semicolon after. */
const framing: Framing = {
  open: (length) => Buffer.from(String(length % 10)),
  close: Buffer.from(';'),
}

/** Takes what it gets at once, or holds on to the very bytes until it is told to go on, as a socket does. */
class Receiver extends Writable {
  readonly #held: Buffer[] = []
  readonly #isSlow: boolean
  #goOn: (() => void) | undefined

  constructor(isSlow: boolean) {
    super()
    this.#isSlow = isSlow
  }

  override _write(chunk: Buffer, _: unknown, done: () => void): void {
    this.#held.push(this.#isSlow ? chunk : Buffer.from(chunk))
    if (this.#isSlow) this.#goOn = done
    else done()
  }

  read(): string {
    while (this.#goOn !== undefined) {
      const goOn = this.#goOn
      this.#goOn = undefined
      goOn()
    }
    return Buffer.concat(this.#held).toString()
  }
}

const messagesOf = (texts: readonly string[]) =>
  texts.map((text) => ({ head: Buffer.from('<'), tail: Buffer.from(`${text}>`) }))

describe('a notification', () => {
  test.each([1, 20_000])(
    'reaches readers of every speed under their own names (%s times the text)',
    (times) => {
      const texts = ['a'.repeat(times), 'b', 'cc']
      const notification = new Notification(messagesOf(texts), 2)
      const receivers = Array.from({ length: 8 }, (_, index) => ({
        name: `n${index}`,
        stream: new Receiver(index % 3 === 1),
        written: 0,
      }))
      const framed = notification.framedBy(framing)
      expect(notification.framedBy(framing)).toBe(framed)
      for (let round = 0; round < 3; round++) {
        for (const receiver of receivers) {
          framed.writeTo(receiver.stream, Buffer.from(receiver.name), () => receiver.written++)
        }
      }
      for (const { name, stream } of receivers) {
        const once = texts.map((text) => `${(text.length + 4) % 10}<${name}${text}>;`).join('')
        const got = stream.read()
        expect(got === once.repeat(3)).toBe(true)
        expect(framed.size).toBe(once.length)
      }
    },
  )

  test('knows its size', () => {
    expect(new Notification(messagesOf(['abc', '']), 5).size).toBe(2 * 7 + 3)
  })
})
