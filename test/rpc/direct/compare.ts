import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestServer } from '../../support/testServer.ts'

export interface Servers {
  /** The one that reads ordinary requests from the socket. */
  readonly direct: TestServer
  /** The one that leaves every request to node:http. */
  readonly node: TestServer
}

/** How long a connection is silent before it is thought to be over; the last attempt is patient. */
const silences = [150, 600, 3000]

/** Sends pieces on a new connection and returns all that comes back, without dates. */
const converse = (url: string, pieces: readonly Buffer[], silenceMs: number): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    const chunks: Buffer[] = []
    const socket = createConnection({
      host: hostname,
      port: Number(port),
      noDelay: true,
      allowHalfOpen: true,
    })
    let silence: NodeJS.Timeout | undefined
    const listen = (): void => {
      clearTimeout(silence)
      silence = setTimeout(() => socket.end(), silenceMs)
    }
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      listen()
    })
    socket.on('end', () => socket.end())
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(silence)
      resolve(
        Buffer.concat(chunks)
          .toString('latin1')
          .replace(/\r\nDate: [^\r]*/g, '\r\nDate: now'),
      )
    })
    socket.on('connect', async () => {
      for (const piece of pieces) {
        socket.write(piece)
        if (pieces.length > 1) await sleep(2)
      }
      listen()
    })
  })

/** What a server sent, and what it ran of what the stream asked it to remember. */
interface Observation {
  readonly answers: string
  readonly heard: readonly string[]
}

export interface Difference {
  readonly direct: Observation
  readonly node: Observation
}

/** What node:http writes where it cannot go on reading. */
const parserError = /HTTP\/1\.1 4\d\d [^\r]*\r\nConnection: close\r\n\r\n$/

/**
 * Returns whether both servers did the same. A stream that is served to its end is answered byte for byte alike. Where
 * node:http gives up a connection, because what comes next is not HTTP, it drops the responses that it has not written by
 * then, and how many those are depends on how the bytes arrive: one side may have come further than the other.
 */
const isSame = ({ direct, node }: Difference): boolean => {
  if (direct.answers === node.answers && String(direct.heard) === String(node.heard)) return true
  if (node.answers.includes('"result":"last"')) return false
  const [mine, theirs] = [direct, node].map(({ answers }) => answers.replace(parserError, '')) as [
    string,
    string,
  ]
  return (
    (mine.startsWith(theirs) || theirs.startsWith(mine)) &&
    (direct.heard.every((one) => node.heard.includes(one)) ||
      node.heard.every((one) => direct.heard.includes(one)))
  )
}

/**
 * Sends the same pieces to both servers. Returns the difference between what comes back or between what ran, as `name`
 * says; undefined if there is none. What depends on time is tried again.
 */
export const compare = async (
  servers: Servers,
  pieces: readonly Buffer[],
  name: string,
): Promise<Difference | undefined> => {
  let difference: Difference | undefined
  for (const silenceMs of silences) {
    const [direct, node] = await Promise.all([
      observe(servers.direct, pieces, name, silenceMs),
      observe(servers.node, pieces, name, silenceMs),
    ])
    difference = { direct, node }
    if (isSame(difference)) return undefined
  }
  return difference
}

const observe = async (
  server: TestServer,
  pieces: readonly Buffer[],
  name: string,
  silenceMs: number,
): Promise<Observation> => {
  const answers = await converse(server.http, pieces, silenceMs)
  const { heard } = server.context
  const own = heard.map(String).filter((value) => value.startsWith(`${name} `))
  heard.splice(0, heard.length, ...heard.filter((value) => !own.includes(String(value))))
  // Requests of one connection run at once: only their answers have an order.
  own.sort()
  // The position in the list depends on the other connections.
  return { answers: answers.replace(/("result":)\d+(?=\})/g, '$1n'), heard: own }
}
