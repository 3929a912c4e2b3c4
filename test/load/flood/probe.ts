// A process of its own, so that its times are not those of the flood's clients: cheap reads over one connection, one after
// the other, until it is told to stop. It sends their latencies in milliseconds.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const [url = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
const latencies: number[] = []
let failures = 0

const ask = (): Promise<void> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () => {
        if (text.includes('"result"')) latencies.push(performance.now() - startedAt)
        else failures++
        resolve()
      })
      response.on('error', () => resolve())
    })
    sent.on('error', () => {
      failures++
      resolve()
    })
    sent.end(body)
  })

let isOver = false
process.on('message', () => (isOver = true))
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
while (!isOver) {
  await ask()
  await sleep(5)
}
process.send?.({ latencies, failures })
agent.destroy()
process.disconnect()
