import { expect, test } from 'vitest'
import { refused } from '../../chain/chainError.ts'
import { invalidParams } from '../lightError.ts'
import { Endpoint } from './endpoint.ts'
import { Endpoints } from './endpoints.ts'

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
    name === names[0] ? new Promise(() => {}) : Promise.resolve(name),
  )
  expect(found).toBe(names[1])
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
