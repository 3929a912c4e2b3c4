import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { Endpoint } from './endpoint.ts'

const limits = { timeoutMs: 1_000, maxBytes: 10_000, maxHeldBytes: 15_000 }

const saying = (error: unknown): Endpoint =>
  new Endpoint('http://one.example', limits, async () => new Response(JSON.stringify({ error })))

const refusalOf = async (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error)

test('no error of an endpoint looks like the outcome of a call', async () => {
  const data = `0x556f1830${'00'.repeat(32)}`
  for (const code of [3, -32_000, -38_014]) {
    const endpoint = saying({ code, message: 'execution reverted: pay me', data })
    const error = await refusalOf(endpoint.ask('perihelion_callWitness', []))
    expect(error).toMatchObject({
      code: -32_002,
      message: `http://one.example: it answers perihelion_callWitness with error ${code}`,
      said: { code, message: 'execution reverted: pay me' },
      data: undefined,
    })
  }
})

test('the rejection of a transaction is the endpoint’s own, but no revert', async () => {
  const asked = (code: number) =>
    refusalOf(
      saying({ code, message: 'nonce too low', data: '0x01' }).askBelieved('eth_sendRawTransaction', []),
    )
  expect(await asked(-32_003)).toMatchObject({
    code: -32_003,
    message: 'http://one.example: nonce too low',
    data: undefined,
  })
  for (const code of [3, -38_010]) expect(await asked(code)).toMatchObject({ code: -32_002, data: undefined })
})

test('an error whose members are not text is a rejection', async () => {
  const error = await refusalOf(saying({ code: 'x', message: { toString: 1 } }).ask('perihelion_proofs', []))
  expect(error).toMatchObject({ code: -32_002, said: { code: -32_000, message: 'no message' } })
})

test('a connection that breaks is tried once more, but not with a transaction', async () => {
  let count = 0
  const flaky = (fails: number): Endpoint => {
    count = 0
    return new Endpoint('http://one.example', limits, async () => {
      if (++count <= fails) throw new TypeError('reset')
      return new Response('{"result":"0x1"}')
    })
  }
  expect(await flaky(1).ask('perihelion_proofs', [])).toBe('0x1')
  expect(await refusalOf(flaky(2).ask('perihelion_proofs', []))).toMatchObject({
    message: expect.stringContaining('reset'),
  })
  expect(count).toBe(2)
  await refusalOf(flaky(1).askBelieved('eth_sendRawTransaction', []))
  expect(count).toBe(1)
})

test('responses that never end are not kept, alone or together', async () => {
  const flood = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 1))
          controller.enqueue(new Uint8Array(1_000).fill(0x20))
        },
      }),
    )
  const endpoint = new Endpoint('http://one.example', limits, async () => flood())
  const ask = () => refusalOf(endpoint.ask('perihelion_proofs', []))
  expect(await ask()).toMatchObject({ message: expect.stringContaining('longer than 10000 bytes') })
  const together = await Promise.all([ask(), ask(), ask(), ask()])
  expect(together).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('longer than 15000 bytes together') }),
  )
  // The control: what was given up is not counted any more.
  expect(await ask()).toMatchObject({ message: expect.stringContaining('longer than 10000 bytes') })
})

test('says how an operator serves light clients', async () => {
  const error = await refusalOf(saying({ code: -32_601, message: 'no' }).ask('perihelion_proofs', []))
  expect(error).toMatchObject({ message: expect.stringContaining('json-rpc.api') })
})

test('a response of millions of values is not parsed', async () => {
  const long = { ...limits, maxBytes: 10_000_000, maxHeldBytes: 10_000_000 }
  const answering = (text: string): Endpoint =>
    new Endpoint('http://one.example', long, async () => new Response(text))
  const dense = `{"result":[${'{},'.repeat(2_000_000)}{}]}`
  expect(await refusalOf(answering(dense).ask('perihelion_proofs', []))).toMatchObject({
    message: expect.stringContaining('more than 2000000 values'),
  })
  // The control: as many bytes in few values.
  const sparse = `{"result":["${'[{,'.repeat(2_000_000)}"]}`
  expect(await answering(sparse).ask('perihelion_proofs', [])).toHaveLength(1)
})

test('an endpoint cannot have another address asked in its place', async () => {
  let asked = 0
  let redirected = 0
  const other = createServer((_, response) => {
    asked++
    response.end('{"result":"0x1"}')
  })
  const redirecting = createServer((_, response) => {
    redirected++
    response.writeHead(307, { Location: urlOf(other) }).end()
  })
  const urlOf = (server: typeof other): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const server of [other, redirecting]) await once(server.listen(0, '127.0.0.1'), 'listening')
  const through = (url: string): Endpoint => new Endpoint(url, { ...limits, timeoutMs: 20_000 }, fetch)
  try {
    const error = await refusalOf(through(urlOf(redirecting)).ask('perihelion_proofs', []))
    expect(error).toMatchObject({ code: -32_002, message: expect.stringContaining('it redirects') })
    expect([redirected, asked]).toEqual([1, 0])
    // The control: it answers who asks it.
    expect(await through(urlOf(other)).ask('perihelion_proofs', [])).toBe('0x1')
  } finally {
    for (const server of [other, redirecting]) {
      server.closeAllConnections()
      server.close()
    }
  }
})
