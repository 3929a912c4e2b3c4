import { encodeAbiParameters } from 'viem'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { slow } from '../../test/support/slow.ts'
import { chainChanges } from '../live/live.ts'
import type { Hex } from '../rpc/types.ts'
import { askTokens, tokenFacts } from './tokens.ts'

const token: Hex = `0x${'a1'.repeat(20)}`

/** How the token of the chain behind the page calls itself, and what its responses wait for. */
let name = ''
/** What the next answer is in place of a name. */
let failure: { readonly code: number; readonly message: string } | undefined
let asked = 0
let held: Promise<void> = Promise.resolve()

beforeEach(() => {
  vi.stubGlobal('location', { href: 'http://node.example/#/' })
  vi.stubGlobal('fetch', async (_: URL, { body }: { readonly body: string }) => {
    const result = encodeAbiParameters([{ type: 'string' }], [name])
    // One call alone travels without a list.
    const calls = [JSON.parse(body)].flat() as readonly { readonly id: number }[]
    asked += calls.length
    const error = failure
    failure = undefined
    await held
    return new Response(JSON.stringify(calls.map(({ id }) => (error ? { id, error } : { id, result }))))
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

test(
  'a node that cannot answer now is asked again, and a contract that has no name is not',
  slow,
  async () => {
    name = 'Late'
    asked = 0
    failure = { code: -32_002, message: 'state of block 7 is not there yet' }
    askTokens([token])
    await expect.poll(() => tokenFacts(token)).toMatchObject({ name: 'Late' })
    expect(asked).toBe(6)
    const other: Hex = `0x${'c3'.repeat(20)}`
    failure = { code: 3, message: 'execution reverted' }
    askTokens([other])
    const none = { name: undefined, symbol: undefined, decimals: undefined }
    await expect.poll(() => tokenFacts(other)).toEqual(none)
    expect(asked).toBe(9)
  },
)

test('a response from before the chain changed does not take the place of the new one', async () => {
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
  // Whatever follows from the response has happened when a later one is there.
  const other: Hex = `0x${'b2'.repeat(20)}`
  askTokens([other])
  await expect.poll(() => tokenFacts(other)?.name).toBe('New')
  expect(tokenFacts(token)?.name).toBe('New')
})
