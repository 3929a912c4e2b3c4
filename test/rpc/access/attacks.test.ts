import { afterEach, describe, expect, test } from 'vitest'
import { createRandom } from '../../support/random.ts'
import { slow, testSome } from '../../support/slow.ts'
import { attack, createAllowedVariant, send, transports } from './attack.ts'
import { shapes } from './bodies.ts'
import { GuardedServer, targets } from './targets.ts'

/** Private methods against callers who may not use them; `npm run long -- access` sends twenty thousand variants. */

const count = Number(process.env.ACCESS_VARIANTS ?? 300)
const seed = Number(process.env.ACCESS_SEED ?? 2026)

let fortress: GuardedServer | undefined
afterEach(async () => {
  await fortress?.close()
  fortress = undefined
})

const open = async (flags: readonly string[] = []): Promise<GuardedServer> => {
  fortress = await GuardedServer.open(flags)
  return fortress
}

test(`none of ${count} variants of seed ${seed} runs`, async () => {
  const { breaches, answers } = await attack(await open(), { seed, count })
  console.log(`seed ${seed}, ${count} variants:`, JSON.stringify(answers))
  expect(breaches).toEqual([])
  for (const kind of ['error 4100', 'error -32600', 'HTTP 400', 'HTTP 401', 'HTTP 403', 'HTTP 415'])
    expect(answers[kind], kind).toBeGreaterThan(0)
}, 3_600_000)

test('with the policy of hosts and origins off, variants run and are seen to', {
  ...slow,
  timeout: 3_600_000,
}, async () => {
  const { breaches } = await attack(await open(['--json-rpc.cors=*', '--json-rpc.vhosts=*']), {
    seed,
    count: 5_000,
  })
  expect(breaches).toHaveLength(1)
})

test('a shape that is not a call changes every target', () => {
  const random = createRandom(seed)
  for (const { method, params } of targets) {
    const call = { id: 'mine', method, params: params([], 1) }
    const [plain] = shapes.map((shape) => shape.write(call, random))
    for (const shape of shapes.filter(({ runs }) => !runs))
      expect(shape.write(call, random), `${method}: ${shape.name}`).not.toEqual(plain)
  }
})

/** Without these the test above could pass because nothing ever runs, or because nobody looks. */
describe('with a good token', () => {
  testSome(1, transports)(
    'every target runs and is seen to run, over %s',
    async (transport) => {
      const fortress = await open()
      const random = createRandom(seed)
      const [shape] = shapes
      for (const [serial, target] of targets.entries()) {
        const before = fortress.look()
        const variant = createAllowedVariant(fortress, {
          transport,
          target,
          shape: shape as (typeof shapes)[number],
        })
        const call = { id: 'mine', method: target.method, params: target.params(fortress.accounts, serial) }
        await send(fortress, variant, call, random)
        await expect
          .poll(() => fortress.look() !== before, { timeout: 60_000, message: target.method })
          .toBe(true)
      }
    },
    { timeout: 120_000 },
  )

  test('every shape that is a call runs, and no other', slow, async () => {
    const fortress = await open()
    const random = createRandom(seed)
    const target = targets.find(
      ({ method }) => method === 'personal_initializeWallet',
    ) as (typeof targets)[number]
    let serial = 0
    for (const transport of transports) {
      for (const shape of shapes) {
        serial++
        const before = fortress.look()
        const variant = createAllowedVariant(fortress, { transport, target, shape })
        const call = { id: 'mine', method: target.method, params: target.params(fortress.accounts, serial) }
        await send(fortress, variant, call, random)
        expect(fortress.look() !== before, `${transport}: ${shape.name}`).toBe(shape.runs)
      }
    }
  })
})
