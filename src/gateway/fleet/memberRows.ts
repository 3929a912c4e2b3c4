import type { Database } from '../../base/postgres/database.ts'
import { leaseSeconds } from './sendRows.ts'

/** A gateway of the fleet as the database has it. */
export interface Member {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly height: number
  readonly trouble: string | null
  /** For how long it has not been seen, by the clock of the database. */
  readonly unseenSeconds: number
}

/** A member that was not seen for this long is forgotten. */
const forgottenSeconds = 3_600

/** The gateways of a fleet. */
export class MemberRows {
  readonly #database: Database
  readonly #self: { readonly id: string; readonly name: string; readonly version: string }

  constructor(
    database: Database,
    self: { readonly id: string; readonly name: string; readonly version: string },
  ) {
    this.#database = database
    this.#self = self
  }

  /** Writes that this gateway is there. Returns all of them, and forgets those that are long gone. */
  async beat({
    height,
    trouble = null,
  }: {
    readonly height: number
    readonly trouble?: string | null | undefined
  }): Promise<readonly Member[]> {
    const { id, name, version } = this.#self
    return this.#database.run(async (sql) => {
      await sql`
        insert into members (id, name, version, height, trouble, seen_at)
        values (${id}, ${name}, ${version}, ${height}, ${trouble}, now())
        on conflict (id) do update
        set height = excluded.height, trouble = excluded.trouble, seen_at = excluded.seen_at`
      await sql`delete from members where seen_at < now() - ${forgottenSeconds} * interval '1 second'`
      const rows = await sql<
        (Omit<Member, 'height' | 'unseenSeconds'> & { height: string; unseen: string })[]
      >`
        select id, name, version, height, trouble, extract(epoch from now() - seen_at) as unseen
        from members order by name, id`
      return rows.map(({ unseen, height: at, ...row }) => ({
        ...row,
        height: Number(at),
        unseenSeconds: Math.max(0, Number(unseen)),
      }))
    })
  }

  /** Writes that this gateway ends: others take over what it keeps at once. */
  async leave(): Promise<void> {
    await this.remove(this.#self.id)
  }

  /** Removes a gateway that is not there any more. */
  async remove(id: string): Promise<void> {
    await this.#database.run((sql) => sql`delete from members where id = ${id}`)
  }
}

/** Returns whether what a gateway keeps is taken over by others. */
export const isLost = ({ unseenSeconds }: Member): boolean => unseenSeconds > leaseSeconds
