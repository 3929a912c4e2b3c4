import type { Database } from '../../base/postgres/database.ts'

/** A key that was not used for so long is not requested: nobody's rate still depends on it. */
const recentSeconds = 10
/** A key that was not used for so long is forgotten. */
const forgottenSeconds = 86_400

/** What each API key has used at all gateways of a fleet together, since its row was made. */
export class KeyRows {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Adds what was used here. Returns what keys have used in all, by their ids: those that were used lately, or every one for a gateway
   * that does not know what the others had used before.
   */
  async exchange(used: ReadonlyMap<string, number>, isFirst: boolean): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#database.run(
      (sql) => sql<{ id: string; used: string }[]>`
        with given as (
          select id, cost from unnest(
            ${`{${[...used.keys()].join(',')}}`}::text[],
            ${`{${[...used.values()].join(',')}}`}::numeric[]
          ) as t (id, cost)
        ), written as (
          insert into keys (id, used, used_at) select id, cost, now() from given order by id
          on conflict (id) do update set used = keys.used + excluded.used, used_at = excluded.used_at
          returning id, used
        )
        select id, used from written
        union all
        select id, used from keys
        where (${isFirst} or used_at > now() - ${recentSeconds} * interval '1 second')
          and id not in (select id from given)`,
    )
    return new Map(rows.map(({ id, used: total }) => [id, Number(total)]))
  }

  async sweep(): Promise<void> {
    await this.#database.run(
      (sql) => sql`delete from keys where used_at < now() - ${forgottenSeconds} * interval '1 second'`,
    )
  }
}
