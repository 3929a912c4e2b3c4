import { expect, test } from 'vitest'
import { refused } from '../../chain/chainError.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { invalidParams } from '../lightError.ts'
import { Endpoint } from './endpoint.ts'
import { askProven, Endpoints } from './endpoints.ts'

const limits = { timeoutMs: 1_000, maxBytes: 10_000, maxHeldBytes: 20_000 }
const names = ['http://one.example', 'http://two.example'] as const

const open = () =>
  new Endpoints(
    names.map((url) => new Endpoint(url, limits, async () => new Response('{}'))),
    50,
    () => {},
  )

test('a response that makes this code throw fails its endpoint, and the next one is asked', async () => {
  const endpoints = open()
  const found = await endpoints.first(async ({ name }) => {
    if (name === names[0]) throw new TypeError('no digits')
    return name
  })
  expect(found).toBe(names[1])
  expect(endpoints.usable.map(({ name }) => name)).toEqual([names[1], names[0]])
  const failing = open().first(async () => {
    throw new RangeError('too deep')
  })
  await expect(failing).rejects.toMatchObject({
    code: -32_002,
    message: 'http://one.example: its response cannot be used: too deep',
    cause: expect.any(RangeError),
  })
})

test('an endpoint that never ends its work does not hold up the next one', async () => {
  const found = await open().first(({ name }) =>
    name === names[0] ? new Promise<string>(() => {}) : Promise.resolve(name),
  )
  expect(found).toBe(names[1])
})

test('tells once that an endpoint lied, however many requests find it', async () => {
  const told: unknown[] = []
  const lying = new Endpoint(names[0], limits, async () => new Response('{"result":"0x1"}'))
  const endpoints = new Endpoints([lying], 1_000, (lie) => told.push(lie))
  const ask = () =>
    endpoints.first((endpoint) =>
      askProven(endpoint, 'perihelion_proofs', [], () => {
        throw new UpstreamError('no nodes')
      }),
    )
  const found = await Promise.allSettled([ask(), ask(), ask()])
  expect(found.every(({ status }) => status === 'rejected')).toBe(true)
  expect(told).toMatchObject([{ endpoint: names[0], problem: 'no nodes' }])
})

test('what is wrong with the request is not sent to another', async () => {
  for (const error of [invalidParams('no address'), refused('insufficient funds')]) {
    let asked = 0
    const asking = open().first(async () => {
      asked++
      throw error
    })
    await expect(asking).rejects.toBe(error)
    expect(asked).toBe(1)
  }
})
