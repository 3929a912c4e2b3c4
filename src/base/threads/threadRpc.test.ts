import { expect, test } from 'vitest'
import { createLocalClient, ThreadError } from './threadRpc.ts'

class FullError extends Error {
  override readonly name = 'FullError'
  readonly free = 7
}

const service = {
  add: (one: number, other: number) => one + other,
  later: async (value: string) => value,
  fail: () => {
    throw new FullError('no space')
  },
}

test('functions of this thread are called as those of another one', async () => {
  const client = createLocalClient(Promise.resolve(service))
  expect(await client.add(1, 2)).toBe(3)
  expect(await client.later('x')).toBe('x')
})

test('their errors are those of another thread', async () => {
  const client = createLocalClient(Promise.resolve(service))
  const error = await client.fail().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ThreadError)
  expect(error).toMatchObject({ thrownName: 'FullError', message: 'no space', details: { free: 7 } })
})
