// A floor: the least that a program of Node can do with a raw socket. It finds where a request ends by its head and its
// length, and answers a constant, which is the argument.
import { createServer } from 'node:net'

const body = process.argv[3]
const answer = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
)

createServer({ noDelay: true }, (socket) => {
  let held = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    held += chunk.latin1Slice()
    for (;;) {
      const head = held.indexOf('\r\n\r\n')
      if (head < 0) return
      const [, length = '0'] = /content-length: *(\d+)/i.exec(held) ?? []
      const end = head + 4 + Number(length)
      if (held.length < end) return
      held = held.slice(end)
      socket.write(answer)
    }
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
