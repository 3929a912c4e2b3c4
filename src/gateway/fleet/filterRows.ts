import { randomBytes } from 'node:crypto'
import { fromBigInt } from '../../base/encoding/bytes.ts'
import type { Database } from '../../base/postgres/database.ts'
import { DatabaseAwayError } from '../../base/postgres/databaseErrors.ts'
import { unavailable } from '../../chain/chainError.ts'
import type { SharedFilter, SharedFilters, SharedPending } from '../../chain/port/sharedFilters.ts'
import type { SendRows } from './sendRows.ts'

interface FilterRowsOptions {
  /** How long a filter exists without being polled. */
  readonly timeoutMs: number
  /** How long a response may wait for a database that went away while a poll was written. */
  readonly patienceMs?: number
}

interface Stored {
  readonly owner: string
  readonly criteria: string
  readonly since_block: string
  readonly next_block: string
  readonly version: string
  readonly poll: string
}

const awayText = 'the database of the fleet is away: poll the filter again'

/** The criteria of filters that are polled for what is pending begin with it: their place is not a block. */
export const poolCriteria = 'pool:'

const toId = (id: bigint): Uint8Array => fromBigInt(id, 16)

/** The filters of HTTP clients as rows. Times are those of the database. */
export class FilterRows implements SharedFilters {
  readonly #options: Required<FilterRowsOptions>
  readonly #database: Database
  readonly #sends: SendRows

  constructor(options: FilterRowsOptions, { database, sends }: { database: Database; sends: SendRows }) {
    this.#options = { patienceMs: 5_000, ...options }
    this.#database = database
    this.#sends = sends
  }

  get #timeoutSeconds(): number {
    return this.#options.timeoutMs / 1_000
  }

  add({ id, owner, criteria, since, next }: Omit<SharedFilter, 'version'>, cap: number): Promise<boolean> {
    const timeout = this.#timeoutSeconds
    return this.#run(async (database) => {
      const added = await database.run(
        (sql) => sql`
          insert into filters (id, owner, criteria, since_block, next_block, version, poll, used_at)
          select ${toId(id)}, ${owner}, ${criteria}, ${since}, ${next}, 0, '', now()
          where (
            select count(*) from filters
            where owner = ${owner} and used_at > now() - ${timeout} * interval '1 second'
          ) < ${cap}
          on conflict (id) do nothing`,
      )
      return added.count === 1
    })
  }

  use(id: bigint): Promise<SharedFilter | undefined> {
    return this.#run(async () => {
      const row = await this.#read(id)
      return row && this.#toFilter(id, row)
    })
  }

  move(filter: SharedFilter, { since, next }: Pick<SharedFilter, 'since' | 'next'>): Promise<boolean> {
    const timeout = this.#timeoutSeconds
    const poll = randomBytes(12).toString('base64')
    return this.#run(async (database) => {
      try {
        const moved = await database.run(
          (sql) => sql`
            update filters
            set since_block = ${since}, next_block = ${next}, version = version + 1, poll = ${poll}, used_at = now()
            where id = ${toId(filter.id)} and version = ${filter.version}
              and used_at > now() - ${timeout} * interval '1 second'`,
        )
        return moved.count === 1
      } catch (error) {
        if (!(error instanceof DatabaseAwayError)) throw error
        // It may have been written before the database went: then this is the response that the filter stands behind.
        if (!(await this.#wasWritten(filter.id, poll))) throw error
        return true
      }
    })
  }

  async moveBack(block: number): Promise<void> {
    await this.#run((database) =>
      database.run(
        (sql) => sql`
          update filters
          set next_block = ${block + 1}, since_block = least(since_block, ${block + 1}), version = version + 1, poll = ''
          where next_block > ${block + 1} and criteria not like ${`${poolCriteria}%`}`,
      ),
    )
  }

  remove(id: bigint): Promise<boolean> {
    const timeout = this.#timeoutSeconds
    return this.#run(async (database) => {
      const removed = await database.run(
        (sql) => sql`
          delete from filters where id = ${toId(id)} and used_at > now() - ${timeout} * interval '1 second'`,
      )
      return removed.count === 1
    })
  }

  newestPending(): Promise<number> {
    return this.#run(() => this.#sends.newest())
  }

  pendingHashesAfter(
    number: number,
    limit: number,
  ): Promise<readonly Omit<SharedPending, 'sender' | 'raw'>[]> {
    return this.#run(async () =>
      (await this.#sends.hashesAddedAfter(number, limit)).map(({ added, hash }) => ({ number: added, hash })),
    )
  }

  pendingAfter(number: number, limit: number, bytes: number): Promise<readonly SharedPending[]> {
    return this.#run(async () =>
      (await this.#sends.addedAfter(number, limit, bytes)).map(({ added, hash, sender, raw }) => ({
        ...{ number: added, hash, sender, raw },
      })),
    )
  }

  /** Removes what has expired. */
  async sweep(): Promise<void> {
    const timeout = this.#timeoutSeconds
    await this.#database.run(
      (sql) => sql`delete from filters where used_at < now() - ${timeout} * interval '1 second'`,
    )
  }

  async #read(id: bigint): Promise<Stored | undefined> {
    const timeout = this.#timeoutSeconds
    const [row] = await this.#database.run(
      (sql) => sql<Stored[]>`
        select owner, criteria, since_block, next_block, version, poll from filters
        where id = ${toId(id)} and used_at > now() - ${timeout} * interval '1 second'`,
    )
    return row
  }

  #toFilter(id: bigint, row: Stored): SharedFilter {
    const { owner, criteria, since_block: since, next_block: next, version } = row
    return { id, owner, criteria, since: Number(since), next: Number(next), version: Number(version) }
  }

  /** Finds out whether a poll was written, once the database is here again. Rejects if it does not come for too long. */
  async #wasWritten(id: bigint, poll: string): Promise<boolean> {
    await this.#database.waitUntilHere(this.#options.patienceMs)
    return (await this.#read(id))?.poll === poll
  }

  async #run<T>(work: (database: Database) => Promise<T>): Promise<T> {
    try {
      return await work(this.#database)
    } catch (error) {
      if (error instanceof DatabaseAwayError) throw unavailable(awayText)
      throw error
    }
  }
}
