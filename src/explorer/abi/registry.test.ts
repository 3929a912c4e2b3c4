import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { chainChanges } from '../live/live.ts'
import { type NodeFacts, nodeFacts } from '../node.ts'
import type { Hex } from '../rpc/types.ts'
import { abiOf, forgetAbi, giveAbi, loadNodeAbis, notice } from './registry.ts'

const registered: Hex = `0x${'a1'.repeat(20)}`
const compiled: Hex = `0x${'a2'.repeat(20)}`
const abi = [{ type: 'function', name: 'f', inputs: [], outputs: [] }]

/** The ABIs of a node, as it answers them. */
const list = (...addresses: readonly Hex[]) => addresses.map((address) => ({ address, name: 'C', abi }))
let onNode: readonly Hex[] = []
let ofCompiler: readonly Hex[] = []
/** Holds the answers that name no address, which is the second question of two. */
let held: Promise<void> | undefined

/** Has the second answer wait, and returns how to wait for its question and how to let it go. */
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
  vi.stubGlobal('localStorage', { setItem: () => {}, removeItem: () => {} })
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

test('an answer that was on its way when the chain changed is not taken, and it is asked for again', async () => {
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

test('on another chain what the compiler told of is asked for again, and what the node before kept is forgotten', async () => {
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
