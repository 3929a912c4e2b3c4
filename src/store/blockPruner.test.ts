import { expect, test, vi } from 'vitest'
import { createLogger } from '../base/logging/log.ts'
import { BlockPruner } from './blockPruner.ts'

/** A store of which each step removes at most five blocks. */
const createStore = (retainedBlocks: number) => {
  const store = { head: 0, oldest: 1, steps: 0, failure: undefined as Error | undefined }
  const warnings: unknown[] = []
  const log = {
    ...createLogger('silent'),
    warn: (...values: unknown[]) => void warnings.push(values),
  }
  const pruner = new BlockPruner(
    { retainedBlocks },
    {
      head: () => store.head,
      oldest: () => store.oldest,
      prune: async (height) => {
        await new Promise((resolve) => setImmediate(resolve))
        if (store.failure !== undefined) throw store.failure
        store.steps++
        store.oldest = Math.min(height, store.oldest + 5)
        return store.oldest
      },
      log,
    },
  )
  return { store, pruner, warnings }
}

const settled = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 5 })

test('prunes down to what is kept, in steps', async () => {
  const { store, pruner } = createStore(80)
  store.head = 80
  pruner.wake()
  await pruner.stop()
  expect(store.oldest).toBe(1)
  const other = createStore(80)
  other.store.head = 100
  other.pruner.wake()
  other.pruner.wake()
  await settled(() => expect(other.store.oldest).toBe(21))
  expect(other.store.steps).toBe(4)
})

test('waits until a few blocks are to be pruned, and then prunes all of them', async () => {
  const { store, pruner } = createStore(80)
  for (store.head = 81; store.head <= 89; store.head++) {
    pruner.wake()
    await new Promise((resolve) => setImmediate(resolve))
    expect(store.steps).toBe(0)
  }
  store.head = 90
  pruner.wake()
  await settled(() => expect(store.oldest).toBe(11))
})

test('keeps two blocks at least', async () => {
  const { store, pruner } = createStore(1)
  store.head = 50
  pruner.wake()
  await settled(() => expect(store.oldest).toBe(49))
})

test('a step that fails is reported, and tried again after the next head', async () => {
  const { store, pruner, warnings } = createStore(10)
  store.head = 50
  store.failure = new Error('the disk is nearly full')
  pruner.wake()
  await settled(() => expect(warnings).toHaveLength(1))
  expect(store.oldest).toBe(1)
  store.failure = undefined
  await settled(() => {
    pruner.wake()
    expect(store.oldest).toBe(41)
  })
})

test('does nothing more once it is stopped', async () => {
  const { store, pruner } = createStore(10)
  store.head = 1_000
  pruner.wake()
  await pruner.stop()
  const { oldest } = store
  expect(oldest).toBeLessThan(991)
  pruner.wake()
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(store.oldest).toBe(oldest)
})
