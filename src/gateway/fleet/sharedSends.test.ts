import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { fleetTransaction, openFleetTables } from '../../../test/support/fleetTables.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../../../test/support/postgres.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { SendRow, SentTransaction } from './sendRows.ts'
import { type FleetPool, SharedSends, type Taken } from './sharedSends.ts'

const errors: unknown[] = []
const log = {
  warn: () => undefined,
  info: () => undefined,
  error: (members: unknown) => void errors.push(members),
}
const closing: (() => unknown)[] = []

/** A pool that takes what it is told to take, and remembers what it was asked. */
class AskedPool implements FleetPool {
  readonly asked: string[] = []
  readonly answer: (raw: string) => Taken
  constructor(answer: (raw: string) => Taken) {
    this.answer = answer
  }
  async admit(raw: Uint8Array): Promise<Taken> {
    this.asked.push(toHex(raw))
    return this.answer(toHex(raw))
  }
  takeOver = this.admit
  remove = (): void => undefined
  isIncluded = (): boolean => false
  has = (): boolean => false
  keeps = (): boolean => false
  kept = () => []
}

describe.skipIf(!hasPostgres)(`what the gateways of a fleet acknowledge${postgresNote}`, () => {
  let server: PostgresServer

  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.close())
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
    expect(errors.splice(0)).toEqual([])
  })

  const open = async (id: string, openTables?: Awaited<ReturnType<typeof openFleetTables>>) => {
    const tables = (openTables ?? (await openFleetTables(server, closing)))(id)
    const { sends: rows, database } = tables
    const shared = new SharedSends({ rows, self: id, database, log, includedMs: 0 })
    closing.push(() => shared.close())
    return { ...tables, rows, shared }
  }

  test('one that comes twice is written once, and those beside it are written', async () => {
    const { rows, shared } = await open('one')
    const [first, twice, last] = [fleetTransaction(0), fleetTransaction(1), fleetTransaction(2)]
    // The first begins a statement, and the others wait for the next one together.
    const all = [first, twice, twice, last].map((transaction) => shared.record(transaction, false))
    expect(await Promise.all(all)).toEqual([true, true, true, true])
    expect(await rows.waiting()).toHaveLength(3)
  })

  const toRow = (transaction: SentTransaction): SendRow => ({
    ...transaction,
    ...{ state: 'waits', keeper: 'one', changed: 1 },
  })

  test('one that cannot be taken over holds up only those of its sender', async () => {
    const { shared } = await open('two')
    const [stuck, behind, other] = [fleetTransaction(0), fleetTransaction(1), fleetTransaction(0, 2)]
    let isStuck = true
    const pool = new AskedPool((raw) => (isStuck && raw === toHex(stuck.raw) ? 'later' : 'settled'))
    shared.bind(pool)
    shared.takeOver([stuck, behind, other].map(toRow))
    await eventually(() => pool.asked.length === 2)
    expect(pool.asked).toEqual([stuck.raw, other.raw].map(toHex))
    isStuck = false
    shared.takeOver([])
    await eventually(() => pool.asked.length === 4)
    expect(pool.asked.slice(2)).toEqual([stuck.raw, behind.raw].map(toHex))
  })

  test('what left the pool while it was written does not wait forever', async () => {
    const { rows, shared } = await open('one')
    shared.bind(new AskedPool(() => 'settled'))
    shared.start()
    expect(await shared.record(fleetTransaction(0), false)).toBe(true)
    await eventually(async () => (await rows.waiting()).length === 0)
  })

  test('nothing is tried while there is no room', async () => {
    const { shared } = await open('two')
    const pool = new AskedPool(() => 'allLater')
    shared.bind(pool)
    shared.takeOver([fleetTransaction(0, 1), fleetTransaction(0, 2)].map(toRow))
    await eventually(() => pool.asked.length === 1)
    await shared.catchUp()
    expect(pool.asked).toHaveLength(1)
  })

  test('what others found in a block, and no block here has, is not pending forever', async () => {
    const openTables = await openFleetTables(server, closing)
    const [one, two] = [await open('one', openTables), await open('two', openTables)]
    const pool = new AskedPool(() => 'settled')
    two.shared.bind(pool)
    two.shared.start()
    const sent = fleetTransaction(0)
    await one.shared.record(sent, false)
    await eventually(() => two.shared.isShared(toHex(sent.hash)))
    await one.rows.end([sent.hash], 'included')
    await eventually(() => !two.shared.isShared(toHex(sent.hash)))
    expect(two.shared.rawOf(sent.hash)).toBeUndefined()
  })
})
