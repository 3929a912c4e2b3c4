import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { snapshots } from '../views/devTools/snapshots.ts'
import { chainKey, loadChainKey } from './node.ts'

const hashOf = (digit: string): string => `0x${digit.repeat(64)}`

/** What the node answers when it is asked for its first block. */
let first: () => object | Promise<object> = () => ({})

beforeEach(() => {
  vi.stubGlobal('location', { href: 'http://node.example/#/' })
  vi.stubGlobal('fetch', async (_: URL, { body }: { readonly body: string }) => {
    const isFirst = body.includes('eth_getBlockByNumber')
    const answer = isFirst ? [{ id: 0, ...(await first()) }] : [0, 1].map((id) => ({ id, result: '0x7' }))
    return new Response(JSON.stringify(answer))
  })
})
afterEach(() => {
  chainKey.set(undefined)
  vi.unstubAllGlobals()
})

test('a chain is known by its id and its first block', async () => {
  first = () => ({ result: { hash: hashOf('a') } })
  await loadChainKey()
  expect(chainKey.get()).toBe(`7.${hashOf('a')}`)
})

test.each([
  ['has none', { result: null }],
  ['refuses to give it', { error: { code: -32000, message: 'pruned' } }],
  ['gives something else', { result: { hash: '.'.repeat(1000) } }],
])('where the node %s, by its id alone', async (_, answer) => {
  first = () => answer
  await loadChainKey()
  expect(chainKey.get()).toBe('7.')
})

test('of a node that is not reached nothing is known, and what was stays', async () => {
  first = () => ({ result: { hash: hashOf('a') } })
  await loadChainKey()
  first = () => Promise.reject(new TypeError('Failed to fetch'))
  await expect(loadChainKey()).rejects.toThrow()
  expect(chainKey.get()).toBe(`7.${hashOf('a')}`)
})

test('a response that a later request overtook is not taken', async () => {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  first = async () => {
    await held
    return { result: { hash: hashOf('a') } }
  }
  const late = loadChainKey()
  first = () => ({ result: { hash: hashOf('b') } })
  await loadChainKey()
  release()
  await late
  expect(chainKey.get()).toBe(`7.${hashOf('b')}`)
})

test('snapshots are forgotten when the chain is another one, and not when it becomes known', () => {
  const taken = [{ id: '0x1', block: 5 }]
  snapshots.set(taken)
  chainKey.set(`7.${hashOf('a')}`)
  chainKey.set(`7.${hashOf('a')}`)
  expect(snapshots.get()).toEqual(taken)
  chainKey.set(`7.${hashOf('b')}`)
  expect(snapshots.get()).toEqual([])
})
