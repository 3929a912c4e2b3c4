import { randomBytes } from 'node:crypto'
import { Database } from '../../src/base/postgres/database.ts'
import { migrate } from '../../src/base/postgres/migrations.ts'
import { MemberRows } from '../../src/gateway/fleet/memberRows.ts'
import { fleetMigrations, fleetSchema } from '../../src/gateway/fleet/schema.ts'
import { SendRows, type SentTransaction } from '../../src/gateway/fleet/sendRows.ts'
import type { PostgresServer } from './postgres.ts'

const log = { warn: () => undefined, info: () => undefined }
let count = 0

export const fleetTransaction = (nonce: number, sender = 1, bytes = 100): SentTransaction => ({
  hash: randomBytes(32),
  sender: new Uint8Array(20).fill(sender),
  nonce: BigInt(nonce),
  raw: randomBytes(bytes),
})

/** Returns a way to open gateways of a fleet of its own. What has to be closed is added to a list. */
export const openFleetTables = async (server: PostgresServer, closing: (() => unknown)[]) => {
  const name = `fleet${count++}`
  const first = new Database({ url: server.url(), name: 'test', log })
  await first.run((sql) => sql.unsafe(`create database ${name}`))
  first.close()
  const openDatabase = (): Database => {
    const database = new Database({ url: server.url(name), name: 'test', schema: fleetSchema, log })
    closing.push(() => database.close())
    return database
  }
  const database = openDatabase()
  await migrate(database, fleetSchema, fleetMigrations)
  await database.run((sql) => sql`insert into fleet (id, chain, changes) values (1, 'test_1-1', 0)`)
  return (id: string) => {
    const own = openDatabase()
    return {
      database: own,
      sends: new SendRows(own, id),
      members: new MemberRows(own, { id, name: `host ${id}`, version: '1' }),
    }
  }
}
