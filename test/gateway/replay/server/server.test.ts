import { connect } from 'node:http2'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { postJson } from '../../../support/clients.ts'
import { families } from '../families.ts'
import { SyntheticChain } from '../synthetic.ts'
import { Fields, text } from '../wire.ts'
import { type Replay, type ReplayOptions, startReplay } from './server.ts'

const open: Replay[] = []

const start = async (options: ReplayOptions): Promise<Replay> => {
  const replay = await startReplay(options)
  open.push(replay)
  return replay
}

afterEach(async () => {
  for (const replay of open.splice(0)) await replay.close()
})

interface Answer {
  id: number
  result?: Record<string, unknown> & {
    response?: { value: string; code: number }
    block_id?: { hash: string }
  }
  error?: { code: number; data?: string }
}

/** On a connection of its own: one that is kept could be one which the server just closed. */
const post = async (url: string, body: unknown): Promise<Answer> =>
  JSON.parse(await postJson(url, JSON.stringify(body))) as Answer

const ask = (url: string, method: string, params: unknown = {}): Promise<Answer> =>
  post(url, { jsonrpc: '2.0', id: 1, method, params })

const listen = async (url: string): Promise<{ socket: WebSocket; next: () => Promise<Answer> }> => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/websocket`)
  const answers: Answer[] = []
  const waiting: ((answer: Answer) => void)[] = []
  socket.on('message', (message) => {
    const answer = JSON.parse(String(message)) as Answer
    const taker = waiting.shift()
    if (taker) taker(answer)
    else answers.push(answer)
  })
  await new Promise((resolve) => socket.once('open', resolve))
  const next = (): Promise<Answer> => {
    const ready = answers.shift()
    return ready ? Promise.resolve(ready) : new Promise((resolve) => waiting.push(resolve))
  }
  return { socket, next }
}

const grpc = async (
  address: string,
  path: string,
  request: Uint8Array,
): Promise<{ body: Buffer; status: string }> => {
  const session = connect(`http://${address}`)
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' })
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(request.length, 1)
  stream.end(Buffer.concat([frame, request]))
  const chunks: Buffer[] = []
  let status = ''
  stream.on('response', (headers) => {
    status = String(headers['grpc-status'] ?? status)
  })
  stream.on('trailers', (trailers) => {
    status = String(trailers['grpc-status'] ?? status)
  })
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve) => stream.once('close', resolve))
  session.destroy()
  return { body: Buffer.concat(chunks).subarray(5), status }
}

describe.each(families)('a replay of %s', (family) => {
  test('speaks HTTP, batches, WebSocket and gRPC of one chain', async () => {
    const chain = new SyntheticChain({ family, length: 30 })
    const { url, grpcAddress } = await start({ chain })
    const block = await ask(url, 'block', { height: '30' })
    const params = { height: '31' }
    expect((await ask(url, 'block', params)).error?.data).toContain(
      'must be less than or equal to the current',
    )
    const batch = await post(
      url,
      [29, 30].map((height) => ({
        jsonrpc: '2.0',
        id: height,
        method: 'block',
        params: { height: String(height) },
      })),
    )
    expect(batch).toMatchObject([{ id: 29 }, { id: 30, result: block.result }])

    const { socket, next } = await listen(url)
    for (const id of [1, 2, 3])
      socket.send(
        JSON.stringify({ jsonrpc: '2.0', id, method: 'block_results', params: { height: String(id) } }),
      )
    for (const id of [1, 2, 3]) expect(await next()).toMatchObject({ id, result: { height: String(id) } })
    socket.close()

    const author = chain.authors[0]?.key.address as Uint8Array
    const request = text(1, `0x${Buffer.from(author).toString('hex')}`)
    const path = `/${chain.traits.evmPackage}.Query/Account`
    const asked = await ask(url, 'abci_query', { path, data: Buffer.from(request).toString('hex') })
    const { body, status } = await grpc(grpcAddress, path, request)
    expect(status).toBe('0')
    expect(body.toString('base64')).toBe(asked.result?.response?.value)
    expect(new Fields(body).uint(3)).toBe(chain.world.account(author, 30).nonce)
    expect((await grpc(grpcAddress, '/no.such.Query/Thing', request)).status).toBe('12')
  })

  test('tells new blocks to who subscribed', async () => {
    const replay = await start({ chain: new SyntheticChain({ family, length: 3 }) })
    const { socket, next } = await listen(replay.url)
    socket.send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method: 'subscribe',
        params: { query: "tm.event='NewBlock'" },
      }),
    )
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 7, result: {} })
    replay.grow(2)
    for (const height of ['4', '5'])
      expect(await next()).toMatchObject({
        id: 7,
        result: { data: { value: { block: { header: { height } } } } },
      })
    socket.close()
  })
})

describe('faults', () => {
  const chain = () => new SyntheticChain({ family: 'cosmos-evm-0.7', length: 5 })

  test('a server that is down refuses, and is there again afterwards on the same port', async () => {
    const replay = await start({ chain: chain() })
    await replay.setFaults({ down: true })
    await expect(ask(replay.url, 'status')).rejects.toThrow()
    await replay.setFaults({})
    expect((await ask(replay.url, 'status')).result).toBeDefined()
    await replay.restart(10)
    expect((await ask(replay.url, 'status')).result).toBeDefined()
  })

  test('lies are told as they were asked for', async () => {
    const replay = await start({ chain: chain() })
    const honest = await ask(replay.url, 'block', { height: '3' })
    await replay.setFaults({ wrongHashAt: 3 })
    const lie = await ask(replay.url, 'block', { height: '3' })
    expect(lie.result?.block_id?.hash).not.toBe(honest.result?.block_id?.hash)
    await replay.setFaults({ wrongIds: true })
    expect((await ask(replay.url, 'status')).id).not.toBe(1)
    await replay.setFaults({ prunedBelow: 4, prunedStateBelow: 4 })
    expect((await ask(replay.url, 'block', { height: '3' })).error?.data).toBe(
      'height 3 is not available, lowest height is 4',
    )
    const path = '/cosmos.evm.vm.v1.Query/BaseFee'
    expect((await ask(replay.url, 'abci_query', { path, height: '3' })).result?.response?.code).toBe(18)
    await replay.setFaults({ chainId: 'other-1' })
    expect((await ask(replay.url, 'status')).result).toMatchObject({ node_info: { network: 'other-1' } })
    await replay.setFaults({ back: 2 })
    expect((await ask(replay.url, 'status')).result).toMatchObject({
      sync_info: { latest_block_height: '3' },
    })
    const results = async (height: string) => (await ask(replay.url, 'block_results', { height })).result
    await replay.setFaults({})
    const second = await results('2')
    await replay.setFaults({ swappedResults: [1, 2] })
    expect(await results('1')).toEqual({ ...second, height: '1' })
    await replay.setFaults({ unknownFields: true })
    expect((await ask(replay.url, 'status')).result).toHaveProperty('unheard_of')
  })

  test('what is no answer is none', async () => {
    const replay = await start({ chain: chain() })
    await replay.setFaults({ text: '<html>' })
    await expect(ask(replay.url, 'status')).rejects.toThrow()
    await replay.setFaults({ truncated: 0.5 })
    await expect(ask(replay.url, 'status')).rejects.toThrow()
    await replay.setFaults({ hangs: ['status'] })
    const signal = AbortSignal.timeout(100)
    await expect(
      fetch(replay.url, { method: 'POST', body: '{"id":1,"method":"status"}', signal }),
    ).rejects.toThrow()
    await replay.setFaults({ drip: { bytes: 200, every: 1 } })
    expect((await ask(replay.url, 'status')).result).toBeDefined()
    await replay.setFaults({ oversized: 1_000 })
    expect(JSON.stringify(await ask(replay.url, 'status')).length).toBeGreaterThan(1_000)
  })
})
