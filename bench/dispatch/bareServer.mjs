// The yardstick: the least that a node:http server does to read a body and to answer JSON, given as the argument.
import { createServer } from 'node:http'

const answer = process.argv[2]
const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer) }

// Connections idle while the other side is measured.
const server = createServer({ noDelay: true, keepAliveTimeout: 120_000 }, (request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => response.writeHead(200, headers).end(answer))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`bare ready http=http://127.0.0.1:${server.address().port}\n`)
})
