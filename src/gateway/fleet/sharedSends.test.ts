import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fleetTransaction, openFleetTables } from '../../../test/support/fleetTables.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../../../test/support/postgres.ts'
import { SharedSends } from './sharedSends.ts'

const errors: unknown[] = []
const log = {
  warn: () => undefined,
  info: () => undefined,
  error: (members: unknown) => void errors.push(members),
}
const closing: (() => unknown)[] = []

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
    const shared = new SharedSends({ rows, self: id, database, log })
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
})
