import { expect, test } from 'vitest'
import type { NativeQueryClient } from '../client/nativeQueryClient.ts'
import { familyNamed } from '../families/families.ts'
import { CachedQueryClient } from './cachedQueryClient.ts'

const options = { bytes: 1500, maxResponseBytes: 1000, isFinal: (path: string) => path !== '/Failing' }
const never = new AbortController().signal

const setUp = () => {
  const queried: string[] = []
  const queries: NativeQueryClient = {
    query: async (path, request, height) => {
      queried.push(`${path} ${height}`)
      return Uint8Array.of(queried.length, ...request)
    },
    prove: () => Promise.reject(new Error('not asked')),
  }
  return { cached: new CachedQueryClient(options, queries), queried }
}

test('what was answered for a height is not queried again, what is newest always is', async () => {
  const { cached, queried } = setUp()
  const ask = (height: number | undefined) => cached.query('/Account', Uint8Array.of(7), height, never)
  expect([...(await ask(5))]).toEqual([1, 7])
  expect([...(await ask(5))]).toEqual([1, 7])
  await ask(6)
  await ask(undefined)
  await ask(undefined)
  expect(cached.hits).toBe(1)
  expect(queried).toEqual(['/Account 5', '/Account 6', '/Account undefined', '/Account undefined'])
})

test('the room for answers is limited', async () => {
  const { cached, queried } = setUp()
  for (let height = 1; height <= 20; height++) await cached.query('/Code', new Uint8Array(50), height, never)
  await cached.query('/Code', new Uint8Array(50), 20, never)
  await cached.query('/Code', new Uint8Array(50), 1, never)
  expect(queried.length).toBe(21)
})

test('an answer that is none is not kept', async () => {
  const { cached, queried } = setUp()
  for (let round = 0; round < 2; round++) await cached.query('/Failing', Uint8Array.of(1), 5, never)
  expect(queried.length).toBe(2)
})

test('what a call on Ethermint gave is not kept: it sees the time of the newest block at every height', async () => {
  const { isFinalResponse } = familyNamed('ethermint')
  const isFinal = (method: string) => isFinalResponse(`/ethermint.evm.v1.Query/${method}`, new Uint8Array(1))
  expect(['EthCall', 'EstimateGas', 'Account', 'TraceTx'].map(isFinal)).toEqual([false, false, true, true])
})
