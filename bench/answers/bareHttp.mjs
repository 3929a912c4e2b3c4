// A floor: the least that a node:http server does to read a body and to answer a constant, which is the argument.
import { createServer } from 'node:http'

const answer = process.argv[3]
const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer) }

createServer({ noDelay: true, keepAliveTimeout: 600_000 }, (request, response) => {
  request.on('data', () => {})
  request.on('end', () => response.writeHead(200, headers).end(answer))
}).listen(Number(process.argv[2]), '127.0.0.1')
