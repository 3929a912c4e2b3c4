import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { chainChanges } from '../live/live.ts'
import { chainKey, type NodeFacts, nodeFacts } from '../live/node.ts'
import type { Hex } from '../rpc/types.ts'
import { abiOf, forgetAbi, giveAbi, loadNodeAbis, notice } from './registry.ts'

const registered: Hex = `0x${'a1'.repeat(20)}`
const compiled: Hex = `0x${'a2'.repeat(20)}`
const abi = [{ type: 'function', name: 'f', inputs: [], outputs: [] }]

/** The ABIs of a node, as it answers them. */
const list = (...addresses: readonly Hex[]) => addresses.map((address) => ({ address, name: 'C', abi }))
let onNode: readonly Hex[] = []
let ofCompiler: readonly Hex[] = []
/** Holds the responses that name no address: the second of two. */
let held: Promise<void> | undefined

/** Has the second response wait, and returns how to wait for its request and how to let it go. */
const holdSecond = () => {
  let release = (): void => {}
  held = new Promise((resolve) => {
    release = resolve
  })
  return {
    isAsked: () => expect.poll(() => isWaiting).toBe(true),
    release: () => {
      held = undefined
      release()
    },
  }
}
let isWaiting = false

beforeEach(() => {
  onNode = [registered]
  ofCompiler = [compiled]
  vi.stubGlobal('location', { href: 'http://node.example/#/' })
  const kept = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    get length() {
      return kept.size
    },
    key: (at: number) => [...kept.keys()][at] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
  vi.stubGlobal('fetch', async (_: URL, { body }: { readonly body: string }) => {
    const reply = ({ id, params = [] }: { readonly id: number; readonly params?: readonly unknown[] }) => ({
      id,
      result: list(...onNode, ...(params.length === 0 ? [] : ofCompiler)),
    })
    const json = JSON.parse(body)
    const isSecond = [json].flat().every(({ params = [] }) => params.length === 0)
    if (isSecond && held !== undefined) {
      isWaiting = true
      await held
      isWaiting = false
    }
    return new Response(JSON.stringify(Array.isArray(json) ? json.map(reply) : reply(json)))
  })
  nodeFacts.set({ isDev: true } as NodeFacts)
})
afterEach(async () => {
  onNode = []
  chainKey.set(undefined)
  await loadNodeAbis()
  chainChanges.set(chainChanges.get() + 1)
  vi.unstubAllGlobals()
  nodeFacts.set(undefined)
})

test('what somebody else registered since is kept by the node, and can be forgotten; what a compiler gave is not', async () => {
  notice(registered)
  notice(compiled)
  await expect.poll(() => abiOf(compiled)?.keptBy).toBe('compiler')
  expect(abiOf(registered)?.keptBy).toBe('node')
  await forgetAbi(registered)
  expect(abiOf(registered)).toBeUndefined()
})

test('an ABI that is given while the node is asked counts more', async () => {
  notice(compiled)
  expect(await giveAbi(compiled, 'Mine', JSON.stringify(abi))).toBe(true)
  notice(registered)
  await expect.poll(() => abiOf(registered)).toBeDefined()
  expect(abiOf(compiled)).toMatchObject({ name: 'Mine', keptBy: 'node' })
})

test('an ABI that is given while the node is asked who keeps it counts more', async () => {
  const second = holdSecond()
  notice(compiled)
  await second.isAsked()
  expect(await giveAbi(compiled, 'Mine', JSON.stringify(abi))).toBe(true)
  second.release()
  // It is in the same answer.
  await expect.poll(() => abiOf(registered)).toBeDefined()
  expect(abiOf(compiled)).toMatchObject({ name: 'Mine', keptBy: 'node' })
})

test('what is given or forgotten while all of the node are loaded counts more', async () => {
  notice(registered)
  await expect.poll(() => abiOf(registered)).toBeDefined()
  const second = holdSecond()
  const loading = loadNodeAbis()
  await second.isAsked()
  expect(await giveAbi(compiled, 'Mine', JSON.stringify(abi))).toBe(true)
  await forgetAbi(registered)
  second.release()
  await loading
  expect(abiOf(compiled)).toMatchObject({ name: 'Mine', keptBy: 'node' })
  expect(abiOf(registered)).toBeUndefined()
})

test('a response that was on its way when the chain changed is dropped and requested again', async () => {
  const second = holdSecond()
  notice(compiled)
  await second.isAsked()
  chainChanges.set(chainChanges.get() + 1)
  ofCompiler = []
  second.release()
  // A later answer is there when the first one would be.
  notice(registered)
  await expect.poll(() => abiOf(registered)).toBeDefined()
  expect(abiOf(compiled)).toBeUndefined()
  ofCompiler = [compiled]
  notice(compiled)
  await expect.poll(() => abiOf(compiled)?.keptBy).toBe('compiler')
})

test('on another chain what the compiler reported is requested again, and what the node before kept is forgotten', async () => {
  notice(compiled)
  notice(registered)
  await expect.poll(() => abiOf(compiled)?.keptBy).toBe('compiler')
  onNode = []
  ofCompiler = []
  chainChanges.set(chainChanges.get() + 1)
  await loadNodeAbis()
  notice(compiled)
  expect([abiOf(compiled), abiOf(registered)]).toEqual([undefined, undefined])
})

describe('what the browser keeps', () => {
  const text = JSON.stringify(abi)
  const nameOf = () => abiOf(compiled)?.name

  beforeEach(() => nodeFacts.set({ isDev: false } as NodeFacts))

  test('is of one chain, also where another one has the same address', async () => {
    chainKey.set('7.0xaa')
    await giveAbi(compiled, 'First', text)
    chainKey.set('7.0xbb')
    expect(nameOf()).toBeUndefined()
    await giveAbi(compiled, 'Second', text)
    chainKey.set('7.0xaa')
    expect(nameOf()).toBe('First')
    await forgetAbi(compiled)
    expect(nameOf()).toBeUndefined()
    chainKey.set('7.0xbb')
    expect(nameOf()).toBe('Second')
  })

  test('is there again when the chain is known, and what was given before that is kept for it', async () => {
    chainKey.set('7.0xaa')
    await giveAbi(compiled, 'First', text)
    chainKey.set(undefined)
    await giveAbi(registered, 'Early', text)
    expect(nameOf()).toBeUndefined()
    chainKey.set('7.0xaa')
    expect([nameOf(), abiOf(registered)?.name]).toEqual(['First', 'Early'])
    chainKey.set('7.0xbb')
    expect([nameOf(), abiOf(registered)?.name]).toEqual([undefined, undefined])
    chainKey.set('7.0xaa')
    expect([nameOf(), abiOf(registered)?.name]).toEqual(['First', 'Early'])
    await forgetAbi(registered)
  })

  test('counts less than what the node knows, and is there again when the node forgot it', async () => {
    chainKey.set('7.0xaa')
    await giveAbi(registered, 'Mine', text)
    nodeFacts.set({ isDev: true } as NodeFacts)
    await loadNodeAbis()
    expect(abiOf(registered)).toMatchObject({ name: 'C', keptBy: 'node' })
    onNode = []
    await loadNodeAbis()
    expect(abiOf(registered)).toMatchObject({ name: 'Mine', keptBy: 'browser' })
  })
})
