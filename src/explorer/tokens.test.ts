import { encodeAbiParameters } from 'viem'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { chainChanges } from './live/live.ts'
import type { Hex } from './rpc/types.ts'
import { askTokens, tokenFacts } from './tokens.ts'

const token: Hex = `0x${'a1'.repeat(20)}`

/** How the token of the chain behind the page calls itself, and what its answers wait for. */
let name = ''
let held: Promise<void> = Promise.resolve()

beforeEach(() => {
  vi.stubGlobal('location', { href: 'http://node.example/#/' })
  vi.stubGlobal('fetch', async (_: URL, { body }: { readonly body: string }) => {
    const result = encodeAbiParameters([{ type: 'string' }], [name])
    const calls = JSON.parse(body) as readonly { readonly id: number }[]
    await held
    return new Response(JSON.stringify(calls.map(({ id }) => ({ id, result }))))
  })
})
afterEach(() => {
  chainChanges.set(chainChanges.get() + 1)
  vi.unstubAllGlobals()
})

test('a token is asked once, and on another chain again', async () => {
  name = 'First'
  askTokens([token])
  await expect.poll(() => tokenFacts(token)?.name).toBe('First')
  name = 'Second'
  askTokens([token])
  chainChanges.set(chainChanges.get() + 1)
  expect(tokenFacts(token)).toBeUndefined()
  askTokens([token])
  await expect.poll(() => tokenFacts(token)?.name).toBe('Second')
})

test('an answer from before the chain changed does not take the place of the new one', async () => {
  name = 'Old'
  let release = (): void => {}
  held = new Promise((resolve) => {
    release = resolve
  })
  askTokens([token])
  // The calls of one turn are sent at its end.
  await Promise.resolve()
  chainChanges.set(chainChanges.get() + 1)
  name = 'New'
  const late = held
  held = Promise.resolve()
  askTokens([token])
  await expect.poll(() => tokenFacts(token)?.name).toBe('New')
  release()
  await late
  // Whatever follows from the answer has happened when a later one is there.
  const other: Hex = `0x${'b2'.repeat(20)}`
  askTokens([other])
  await expect.poll(() => tokenFacts(other)?.name).toBe('New')
  expect(tokenFacts(token)?.name).toBe('New')
})
