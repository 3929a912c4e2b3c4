import { type Agent, type ClientRequest, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Random } from '../../support/random.ts'

export interface ActionOptions {
  readonly http: string
  readonly ws: string
  readonly agent: Agent
  readonly accounts: readonly string[]
  readonly random: Random
  /** The sockets that clients never close, if they do not; the control of the suite. */
  readonly leaked: WebSocket[] | undefined
}

/** Does something that clients do. Throws if the answer is none that there may be. */
type Action = (options: ActionOptions) => Promise<void>

const call = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

const post = (
  { http, agent }: ActionOptions,
  body: string,
  onSent: (sent: ClientRequest) => void = () => {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const sent = request(http, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => resolve(text))
    })
    sent.on('error', reject)
    sent.end(body)
    onSent(sent)
  })

/** What a busy node may say instead of a result. */
const refusals = /"code":-3200[025]/

const ask = async (options: ActionOptions, method: string, params: readonly unknown[]): Promise<void> => {
  const text = await post(options, call(method, params))
  if (!text.includes('"result"') && !refusals.test(text)) throw new Error(`${method}: ${text.slice(0, 300)}`)
}

const target = `0x${'77'.repeat(20)}`
/** JUMPDEST PUSH0 JUMP. */
const endless = { [target]: { code: '0x5b5f56' } }
const account = ({ accounts, random }: ActionOptions): string => random.pick(accounts)

const read: Action = (options) => {
  const reads: readonly (readonly [string, readonly unknown[]])[] = [
    ['eth_blockNumber', []],
    ['eth_getBalance', [account(options), 'latest']],
    ['eth_getBlockByNumber', ['latest', true]],
    ['eth_gasPrice', []],
    ['eth_getTransactionCount', [account(options), 'pending']],
  ]
  const [method, params] = options.random.pick(reads)
  return ask(options, method, params)
}

const search: Action = (options) =>
  options.random.chance(0.5)
    ? ask(options, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])
    : ask(options, 'eth_feeHistory', ['0x40', 'latest', [10, 50]])

const run: Action = (options) => ask(options, 'eth_call', [{ to: account(options), data: '0x01' }, 'latest'])

const send: Action = (options) =>
  ask(options, 'eth_sendTransaction', [{ from: account(options), to: account(options), value: '0x1' }])

const heavyCall = call('eth_call', [{ to: target, gas: '0x2faf080' }, 'latest', endless])

/** Has every call worker start, which stay from then on. */
export const startWorkers = async (options: ActionOptions): Promise<void> => {
  await Promise.all(Array.from({ length: 8 }, () => post(options, heavyCall)))
}

/** Leaves before the answer to a call that would go on for long. */
const cancel: Action = async (options) => {
  const after = options.random.below(60)
  const leave = async (sent: ClientRequest): Promise<void> => {
    await sleep(after)
    sent.destroy()
  }
  await post(options, heavyCall, (sent) => void leave(sent)).catch(() => {})
}

/** Makes a filter that nobody polls again. */
const abandonFilter: Action = (options) => {
  const topics = Array.from(
    { length: 20 },
    () => `0x${Buffer.from(options.random.bytes(32)).toString('hex')}`,
  )
  return options.random.chance(0.5)
    ? ask(options, 'eth_newFilter', [{ topics: [topics] }])
    : ask(options, 'eth_newBlockFilter', [])
}

/** Connects, subscribes, listens for a moment and leaves, in order or not. */
const reconnect: Action = async ({ ws, random, leaked }) => {
  const socket = new WebSocket(ws)
  socket.on('error', () => {})
  const [isPolite, pauseMs] = [random.chance(0.5), random.below(200)]
  await new Promise((resolve) => {
    socket.once('open', resolve)
    socket.once('close', resolve)
  })
  if (socket.readyState !== WebSocket.OPEN) return
  socket.send(call('eth_subscribe', ['newHeads']))
  socket.send(call('eth_subscribe', ['logs', {}]))
  await sleep(pauseMs)
  if (leaked !== undefined) leaked.push(socket)
  else if (isPolite) socket.close()
  else socket.terminate()
}

/** Sends a part of a request and resets the connection. */
const breakOff: Action = async ({ http, random }) => {
  const { hostname, port } = new URL(http)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  await new Promise((resolve) => {
    socket.once('connect', resolve)
    socket.once('close', resolve)
  })
  const body = call('eth_blockNumber', [])
  const text = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  socket.write(text.slice(0, random.below(text.length + 1)))
  await sleep(random.below(20))
  socket.resetAndDestroy()
}

/** How often each is done, of a hundred. */
const mix: readonly (readonly [share: number, action: Action])[] = [
  [60, read],
  [8, search],
  [10, run],
  [5, send],
  [5, cancel],
  [4, abandonFilter],
  [5, reconnect],
  [3, breakOff],
]

export const actOnce: Action = (options) => {
  let left = options.random.below(100)
  for (const [share, action] of mix) {
    left -= share
    if (left < 0) return action(options)
  }
  return read(options)
}
