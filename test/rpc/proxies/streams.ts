import type { Random } from '../../support/random.ts'
import { followUp, type RequestCase, refusedUpgrades, unfinished } from '../reuse/requests.ts'

/** What a client does to a connection: what it sends, and how it leaves it. */
export interface Stream {
  readonly name: string
  readonly pieces: readonly string[]
  readonly end: (typeof ends)[number]
}

/** The last one waits until the proxy or the server has had enough. */
const ends = ['closed at once', 'half closed', 'closed after an answer', 'left open'] as const

/** Changes that make a request one that two readers may understand differently, or one that is none. */
const distortions: Readonly<Record<string, (bytes: string, random: Random) => string>> = {
  'a second length': (bytes) => bytes.replace('\r\n', '\r\nContent-Length: 7\r\n'),
  'a length and chunks': (bytes) =>
    bytes.replace('\r\n', '\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n'),
  'a negative length': (bytes) => bytes.replace(/Content-Length: /g, 'Content-Length: -'),
  'a length that is too short': (bytes) => bytes.replace(/Content-Length: \d+/g, 'Content-Length: 1'),
  'an unknown coding': (bytes) => bytes.replace('\r\n', '\r\nTransfer-Encoding: xchunked\r\n'),
  'a folded header': (bytes) => bytes.replace('\r\n', '\r\nX-A:\r\n b\r\n'),
  'a blank before the colon': (bytes) => bytes.replace('\r\n', '\r\nX-A : b\r\n'),
  'line feeds alone': (bytes) => bytes.replaceAll('\r\n', '\n'),
  'a NUL': (bytes) => bytes.replace('\r\n', '\r\nX-A: \0\r\n'),
  'no version': (bytes) => bytes.replace(' HTTP/1.1', ''),
  'an old version': (bytes) => bytes.replace('HTTP/1.1', 'HTTP/1.0'),
  'an absolute target': (bytes) => bytes.replace(' /', ' http://localhost/'),
  'a wrong byte': (bytes, random) => {
    const at = random.below(bytes.length)
    return bytes.slice(0, at) + String.fromCharCode(random.below(256)) + bytes.slice(at + 1)
  },
  'a cut': (bytes, random) => bytes.slice(0, random.below(bytes.length)),
  'the next request behind it': (bytes) => bytes + followUp,
}

const distort = (bytes: string, random: Random): readonly [name: string, bytes: string] => {
  const [name, change] = random.pick(Object.entries(distortions))
  return [name, change(bytes, random)]
}

/** Returns one to four requests, whole, distorted, refused or unfinished, in pieces of any size. */
export const createStream = (cases: readonly RequestCase[], random: Random): Stream => {
  const names: string[] = []
  let bytes = ''
  for (let count = 1 + random.below(4); count > 0; count--) {
    const { name, bytes: whole } = random.pick(cases)
    const kind = random.below(5)
    if (kind === 0) {
      names.push(name)
      bytes += whole
    } else if (kind < 4) {
      const [change, changed] = distort(whole, random)
      names.push(`${name} with ${change}`)
      bytes += changed
    } else {
      const [odd, text] = random.pick(Object.entries({ ...refusedUpgrades, ...unfinished }))
      names.push(odd)
      bytes += text
    }
  }
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = random.chance(0.5) ? bytes.length : 1 + random.below(300)
    pieces.push(bytes.slice(at, at + size))
    at += size
  }
  return { name: names.join(', then '), pieces, end: random.pick(ends) }
}
