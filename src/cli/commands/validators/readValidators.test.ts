import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { readValidators } from './readValidators.ts'

let server: Server
afterEach(() => server.close())

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly string[]
}

const validator = (name: string) => ({
  pubkey: name,
  cometbftAddress: `0x${name}`,
  power: '0xa',
  reward: null,
})

/** A node at a height, whose validator `bb` took the place of `aa` at block 5 and missed block 7. */
const serve = async (height: number): Promise<string> => {
  const askedAt = (at: number): readonly string[] => ['cc', at < 5 ? 'aa' : 'bb']
  const answer = ({ method, params: [at = ''] }: Call): unknown => {
    if (method === 'eth_blockNumber') return `0x${height.toString(16)}`
    const number = at === 'latest' ? height : Number(at)
    if (method === 'perihelion_validators') return askedAt(number).map(validator)
    const signatures = askedAt(number - 1).map((name) =>
      name === 'bb' && number - 1 === 7
        ? { validator_address: '', block_id_flag: 1 }
        : { validator_address: name.toUpperCase(), block_id_flag: 2 },
    )
    return { block: { last_commit: { signatures } } }
  }
  server = createServer(async (request, response) => {
    const calls = JSON.parse(await text(request)) as readonly Call[]
    const answers =
      calls.length === 0
        ? { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'empty batch' } }
        : calls.map((call) => ({ jsonrpc: '2.0', id: call.id, result: answer(call) }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('only blocks on which a validator was asked for its vote count', async () => {
  const { validators } = await readValidators(await serve(10))
  expect(validators).toMatchObject([
    { address: 'CC', missed: 0, counted: 9 },
    { address: 'BB', missed: 1, counted: 5 },
  ])
})

test('before the first block nothing is counted', async () => {
  const { height, validators } = await readValidators(await serve(0))
  expect(height).toBe(0)
  expect(validators.map(({ missed, counted }) => [missed, counted])).toEqual([
    [undefined, 0],
    [undefined, 0],
  ])
})
