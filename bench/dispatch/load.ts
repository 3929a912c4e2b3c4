import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

/** A closed loop: each connection sends its next request when the answer to the last one is there. */
export interface Load {
  /** Answers to this many requests, spread over all connections. */
  run(requests: number): Promise<void>
  close(): void
}

/** The first answer on a new connection, headers and all; every later one must have the same length. */
const firstAnswer = async (socket: Socket, request: Buffer): Promise<Buffer> => {
  socket.write(request)
  const [chunk] = (await once(socket, 'data')) as [Buffer]
  const text = chunk.toString('latin1')
  const [, length] = /content-length: (\d+)/i.exec(text) ?? []
  if (!text.startsWith('HTTP/1.1 200 ') || text.length !== text.indexOf('\r\n\r\n') + 4 + Number(length)) {
    throw new Error(`not a whole answer: ${text}`)
  }
  return chunk
}

export const openLoad = async (port: number, body: string, connections: number): Promise<Load> => {
  const request = Buffer.from(
    `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const sockets: Socket[] = []
  let answerBytes = 0
  for (let i = 0; i < connections; i++) {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    answerBytes = (await firstAnswer(socket, request)).length
    sockets.push(socket)
  }
  return {
    run: (requests) =>
      new Promise((resolve, reject) => {
        let toSend = requests
        let toReceive = requests
        for (const socket of sockets) {
          let missing = answerBytes
          const send = (): void => {
            if (toSend-- > 0) socket.write(request)
          }
          socket.removeAllListeners('data').removeAllListeners('close')
          const fail = (): void => reject(new Error('the server closed a connection'))
          if (socket.destroyed) return fail()
          socket.on('close', fail)
          socket.on('data', (chunk: Buffer) => {
            missing -= chunk.length
            if (missing > 0) return
            missing = answerBytes
            if (--toReceive === 0) resolve()
            send()
          })
          send()
        }
      }),
    close: () => {
      for (const socket of sockets) socket.removeAllListeners('close').destroy()
    },
  }
}

/** The body of one answer. */
export const askOnce = async (port: number, body: string): Promise<string> => {
  const headers = { 'Content-Type': 'application/json' }
  return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).text()
}
