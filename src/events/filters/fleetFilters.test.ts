import { expect, test } from 'vitest'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import type { SharedFilter, SharedFilters } from '../../chain/port/sharedFilters.ts'
import { CriteriaMemory } from '../criteriaMemory.ts'
import { FilterManager } from './filterManager.ts'
import { FleetFilters } from './fleetFilters.ts'

const hashOf = (number: number): Uint8Array => new Uint8Array(32).fill(number)
const nothing = () => () => undefined

/** Gateways with the same head and the same filters; what a gateway writes of a poll may be held back. */
const createFleet = () => {
  let head = 10
  let held: Promise<void> | undefined
  const rows = new Map<bigint, SharedFilter>()
  const shared: SharedFilters = {
    add: async (filter) => Boolean(rows.set(filter.id, { ...filter, version: 0 })),
    use: async (id) => rows.get(id),
    move: async (filter, to) => {
      await held
      const row = rows.get(filter.id)
      if (row?.version !== filter.version) return false
      return Boolean(rows.set(filter.id, { ...row, ...to, version: row.version + 1 }))
    },
    moveBack: async () => undefined,
    remove: async (id) => rows.delete(id),
    newestPending: async () => 0,
    pendingHashesAfter: async () => [],
    pendingAfter: async () => [],
  }
  const chain = fakeChain({
    head: () => ({ number: head, hash: hashOf(head), time: 0 }),
    blocks: { hash: hashOf },
  })
  const events = { onHead: nothing, onPending: nothing }
  const options = { filterTimeout: 60_000, filterCap: 200, logsCap: 0, logsBytesCap: 1_000_000 }
  const createGateway = (): FleetFilters => {
    const memory = new CriteriaMemory(1_000_000)
    const own = new FilterManager(options, { chain, events, memory, now: () => performance.now() })
    return new FleetFilters(options, { own, shared, chain, events, log: { warn: () => undefined } })
  }
  return {
    createGateway,
    grow: () => void head++,
    hold: (until: Promise<void> | undefined) => {
      held = until
    },
  }
}

const poll = async (gateway: FleetFilters, id: bigint, signal = new AbortController().signal) => {
  const found = await gateway.changes(id, { signal, hold: () => undefined })
  return found.kind === 'hashes' ? found.hashes : []
}

test.each([true, false])(
  'a poll whose client has left passes over nothing that it polls elsewhere (left: %s)',
  async (hasLeft) => {
    const { createGateway, grow, hold } = createFleet()
    const [one, other] = [createGateway(), createGateway()]
    const id = await one.addBlocks('client')
    grow()
    let goOn = (): void => undefined
    hold(new Promise((resolve) => (goOn = resolve)))
    const client = new AbortController()
    const first = poll(one, id, client.signal).catch(() => undefined)
    await new Promise((resolve) => setImmediate(resolve))
    hold(undefined)
    expect(await poll(other, id)).toEqual([hashOf(11)])
    grow()
    if (hasLeft) client.abort()
    goOn()
    // The control is a client that waits: it hears of the next block, and then no other poll does.
    expect(await first).toEqual(hasLeft ? undefined : [hashOf(12)])
    expect(await poll(other, id)).toEqual(hasLeft ? [hashOf(12)] : [])
  },
)

test('polls of a client that has left do not wait for their turn to move the filter', async () => {
  const { createGateway, grow } = createFleet()
  const gateway = createGateway()
  const id = await gateway.addBlocks('client')
  grow()
  await expect(poll(gateway, id, AbortSignal.abort())).rejects.toThrow()
  expect(await poll(gateway, id)).toEqual([hashOf(11)])
})
