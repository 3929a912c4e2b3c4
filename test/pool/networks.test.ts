import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, it, vi } from 'vitest'
import type { PoolSettings } from '../../src/pool/types.ts'
import { PoolNetwork } from './poolNetwork.ts'

/** Random histories of networks of pools: the whole of it is POOL_HISTORIES=10000 (npm run long -- poolNetworks). */
const histories = Number(process.env.POOL_HISTORIES ?? 60)
const seed = Number(process.env.SEED ?? 1)

const senders = [1, 2, 3]
const sender = fc.constantFrom(...senders)
const node = fc.nat(2)
const pick = fc.nat(100)

/** Room for a few transactions, or for what a small node has. */
const settings: fc.Arbitrary<Partial<PoolSettings>> = fc.record({
  globalSlots: fc.constantFrom(1, 2, 3, 5, 8, 100),
  accountSlots: fc.constantFrom(1, 2, 4),
  globalQueue: fc.constantFrom(0, 1, 2, 4, 100),
  accountQueue: fc.constantFrom(0, 1, 3, 64),
  parkedBytes: fc.constantFrom(200, 600, 64 * 1024 * 1024),
  keepsUnpayable: fc.constantFrom(true, true, false),
})
const transfer = fc.record({
  sender,
  ahead: fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 4, 6),
  feeCap: fc.integer({ min: 1, max: 20 }),
  tip: fc.integer({ min: 1, max: 10 }),
  value: fc.constantFrom(0, 0, 0, 1, 3),
})
const operation = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.tuple(
      fc.constant('send' as const),
      node,
      fc.array(transfer, { minLength: 1, maxLength: 4 }),
    ),
  },
  { weight: 6, arbitrary: fc.tuple(fc.constant('gossip' as const), node, node, pick) },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constant('block' as const),
      node,
      fc.record({
        count: fc.nat(3),
        baseFee: fc.integer({ min: 1, max: 8 }),
        balances: fc.array(fc.tuple(sender, fc.nat(4)), { maxLength: 2 }),
      }),
    ),
  },
  { weight: 3, arbitrary: fc.tuple(fc.constant('catchUp' as const), node) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant('kill' as const), node, settings, fc.array(pick, { maxLength: 3 })),
  },
  // What is written after some more writes fails until the disk has room again.
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant('disk' as const), node, fc.constantFrom(0, 1, 2, 3, 1e9, 1e9)),
  },
  fc.tuple(fc.constant('reset' as const), node),
  fc.tuple(fc.constant('remove' as const), node, pick),
)
type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never

const perform = async (network: PoolNetwork, operation: Operation): Promise<void> => {
  switch (operation[0]) {
    case 'send':
      return network.send(operation[1], operation[2])
    case 'gossip':
      return network.gossip(operation[1], operation[2], operation[3])
    case 'block':
      return void network.propose(operation[1], operation[2])
    case 'catchUp':
      return network.catchUp(operation[1])
    case 'kill':
      return network.restart(operation[1], operation[2], operation[3])
    case 'disk':
      return network.limitWrites(operation[1], operation[2])
    case 'reset':
      return network.reset(operation[1])
    case 'remove':
      return network.remove(operation[1], operation[2])
  }
}

const assertNone = (faults: readonly string[]): void => {
  if (faults.length > 0) throw new Error(faults.join(', '))
}

// A journal that failed is tried again after a second: here at every third look at the clock.
beforeAll(() => {
  let now = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => (now += 400))
  return () => spy.mockRestore()
})

const totals = { acknowledged: 0, kills: 0 }

const history = (isParking: boolean) =>
  fc.asyncProperty(
    fc.array(settings, { minLength: 3, maxLength: 3 }),
    fc.array(operation, { minLength: 5, maxLength: 50, size: 'max' }),
    async (all, operations) => {
      const folder = mkdtempSync(join(tmpdir(), 'pools-'))
      const network = new PoolNetwork(folder, all, isParking)
      try {
        for (const operation of operations) {
          await perform(network, operation)
          assertNone(network.lost())
          if (operation[0] === 'kill') totals.kills++
        }
        network.settle(senders.map((sender) => [sender, 1_000]))
        assertNone([...network.lost(), ...network.stuck()])
        totals.acknowledged += network.acknowledged.length
      } finally {
        network.close()
        rmSync(folder, { recursive: true })
      }
    },
  )

it(`all that was acknowledged and can be executed is executed: ${histories} networks from seed ${seed}`, {
  timeout: 60_000 + histories * 1_000,
}, async () => {
  await fc.assert(history(true), { numRuns: histories, seed })
  console.log(
    `${histories} histories, ${totals.kills} kills, ${totals.acknowledged} acknowledged: none lost, none stuck`,
  )
})

it('but not where what has to leave is dropped', async () => {
  const { failed } = await fc.check(history(false), { numRuns: 200, seed, endOnFailure: true })
  expect(failed).toBe(true)
})
