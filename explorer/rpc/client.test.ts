import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { call, callUntil } from './client.ts'
import { RpcFailure } from './failure.ts'

/** What the node answers to any request. */
let body = ''

beforeEach(() => {
  vi.stubGlobal('location', { href: 'http://node.example/#/' })
  vi.stubGlobal('fetch', async () => new Response(body))
})
afterEach(() => void vi.unstubAllGlobals())

/** How calls of one request end: with a result, or with the message of a failure. */
const ends = (count: number): Promise<readonly unknown[]> =>
  Promise.all(
    Array.from({ length: count }, () =>
      call('eth_chainId').catch((error: unknown) => {
        expect(error).toBeInstanceOf(RpcFailure)
        return (error as Error).message
      }),
    ),
  )

const nothing = 'the node gave no response to this call'

describe('calls end, whatever is answered', () => {
  test.each([
    'null',
    '[null]',
    '7',
    '"text"',
    '[]',
    '{}',
    '[[7]]',
    '[{"id":"0","result":1}]',
    '[{"id":null,"result":1}]',
  ])('%s is not a response', async (text) => {
    body = text
    expect(await ends(1)).toEqual([nothing])
    expect(await ends(3)).toEqual([nothing, nothing, nothing])
  })

  test('invalid JSON fails every call', async () => {
    body = '<html>'
    for (const message of await ends(3)) expect(message).toMatch(/JSON/)
  })

  test('invalid entries leave the others as they are', async () => {
    body = '[null,7,{"id":2,"result":"c"},{"id":0,"error":null,"result":"a"}]'
    expect(await ends(3)).toEqual(['a', nothing, 'c'])
  })

  test('an error that cannot be read ends those after it too', async () => {
    // A message that can be made no text.
    body =
      '[{"id":0,"result":"a"},{"id":1,"error":{"message":{"toString":7,"valueOf":7}}},{"id":2,"result":"c"}]'
    const [first, ...others] = await ends(3)
    expect(first).toBe('a')
    expect(others.every((message) => typeof message === 'string')).toBe(true)
  })

  test('a rejection of the whole request is one of each call', async () => {
    body = '{"id":null,"error":{"code":-32600,"message":"too many"}}'
    expect(await ends(2)).toEqual(['too many', 'too many'])
  })

  test('whatever a signal gives as its reason is a failure', async () => {
    vi.stubGlobal('fetch', (_: URL, { signal }: { readonly signal: AbortSignal }) =>
      Promise.reject(signal.reason),
    )
    await expect(callUntil(AbortSignal.abort('left'), 'eth_chainId')).rejects.toThrow('left')
  })
})
