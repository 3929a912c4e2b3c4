import type { TransactionSql } from 'postgres'
import { sleep } from '../../base/async/sleep.ts'
import { homeInUse } from '../../base/exit.ts'
import { Database } from '../../base/postgres/database.ts'
import { DatabaseAwayError, DatabaseError } from '../../base/postgres/databaseErrors.ts'
import { migrate, NewerSchemaError } from '../../base/postgres/migrations.ts'
import { type Choice, type Only, toOnly } from '../choice.ts'
import { FollowError } from '../followError.ts'
import { migrations, quoteName } from './schema.ts'

export interface SessionOptions {
  readonly url: string
  readonly schema: string
  readonly signal: AbortSignal
  /** Says something to the operator. */
  readonly say: (text: string) => void
  /** What takes longer than this is a database that does not answer. */
  readonly timeoutMs?: number
  /** How often a connection that nobody uses is used. */
  readonly keepAliveMs?: number
}

/** The row that says how far the tables are. */
export interface Progress {
  readonly chainId: string
  readonly first: number
  readonly next: number
  readonly hash: string
  readonly traces: boolean
  readonly only: Only
  readonly partitionBlocks: number
  readonly isIndexed: boolean
}

/** Beside the name of the schema, it names the lock of its follower. */
const lockSpace = 0x70657269
/** A batch of blocks takes a part of a second. */
const defaultTimeoutMs = 120_000
const defaultKeepAliveMs = 60_000
const maxPauseSeconds = 30

/** The one connection of a follower to its schema, whose lock it holds. A database that is away is waited for. */
export class SqlSession {
  readonly #options: SessionOptions
  readonly #database: Database
  readonly #keepAlive: NodeJS.Timeout
  /** How much work is under way. */
  #busy = 0

  private constructor(options: SessionOptions) {
    const { timeoutMs = defaultTimeoutMs, keepAliveMs = defaultKeepAliveMs } = options
    this.#options = options
    const tell = (facts: object, message?: string): void => {
      const { database, reason } = facts as { readonly database: string; readonly reason?: string }
      options.say(`${database}: ${message}${reason === undefined ? '' : `: ${reason}`}`)
    }
    this.#database = new Database({
      url: options.url,
      name: 'perihelion follow',
      maxConnections: 1,
      connectTimeoutMs: 10_000,
      timeoutMs,
      log: { warn: tell, info: tell } as ConstructorParameters<typeof Database>[0]['log'],
    })
    // A connection that nobody uses is given back, and the lock with it. Behind work that takes long this would wait for its turn, and
    // end that work when its own time is over.
    this.#keepAlive = setInterval(() => {
      if (this.#busy > 0) return
      void this.#database.transaction((sql) => this.#lock(sql)).catch(() => undefined)
    }, keepAliveMs).unref()
  }

  /** Opens the schema, as the only one. Throws if another follower has it. */
  static async open(options: SessionOptions): Promise<SqlSession> {
    const session = new SqlSession(options)
    try {
      await session.#persist(() => migrate(session.#database, options.schema, migrations))
      const isOurs = await session.#persist(() =>
        session.#database.transaction((sql) => session.#takeLock(sql)),
      )
      if (!isOurs)
        throw homeInUse(
          `another follower writes to the schema ${options.schema}: stop it, or choose another --schema`,
        )
      return session
    } catch (error) {
      session.close()
      throw error
    }
  }

  /** The name of something in the schema. */
  name(name: string): string {
    return `${quoteName(this.#options.schema)}.${quoteName(name)}`
  }

  /** Runs work in a transaction that knows how far the tables are; again for as long as the database is away. */
  async run<T>(
    work: (sql: TransactionSql, progress: Progress | undefined) => Promise<T>,
    { takesLong = false } = {},
  ): Promise<T> {
    return await this.#persist(() =>
      this.#database.transaction(
        async (sql) => {
          await this.#lock(sql)
          if (takesLong) await sql.unsafe('set local statement_timeout = 0')
          return await work(sql, await this.#readProgress(sql))
        },
        takesLong ? { timeoutMs: Number.POSITIVE_INFINITY } : {},
      ),
    )
  }

  close(): void {
    clearInterval(this.#keepAlive)
    this.#database.close()
  }

  /** Makes sure that this transaction is of the follower that has the schema. */
  async #lock(sql: TransactionSql): Promise<void> {
    if (!(await this.#takeLock(sql)))
      throw new DatabaseAwayError(`another follower writes to the schema ${this.#options.schema}`)
  }

  /**
   * Takes the lock of the schema, each time: a connection that has it gets it again, and only the server knows whether this is that
   * connection. Rows are safe after a crash of the server with the cursor that is written beside them, so that nobody waits for its
   * disk.
   */
  async #takeLock(sql: TransactionSql): Promise<boolean> {
    const [lock] = await sql<{ taken: boolean }[]>`
      select pg_try_advisory_lock(${lockSpace}::int, hashtext(${this.#options.schema})) as taken,
        set_config('synchronous_commit', 'off', true),
        (select set_config(name, 'lz4', true) from pg_settings
          where name = 'default_toast_compression' and 'lz4' = any(enumvals))`
    return lock?.taken === true
  }

  async #readProgress(sql: TransactionSql): Promise<Progress | undefined> {
    const [row] = await sql<
      {
        readonly chain_id: string
        readonly first_block: string
        readonly next_block: string
        readonly hash: Buffer
        readonly traces: boolean
        readonly written: string | null
        readonly partition_blocks: string
        readonly is_indexed: boolean
      }[]
    >`select * from ${sql(this.#options.schema)}.progress where id = 1 for update`
    if (row === undefined) return undefined
    return {
      chainId: `0x${BigInt(row.chain_id).toString(16)}`,
      first: Number(row.first_block),
      next: Number(row.next_block),
      hash: row.hash.length === 0 ? '' : `0x${row.hash.toString('hex')}`,
      traces: row.traces,
      only: row.written === null ? undefined : toOnly(row.written.split(' ') as Choice[]), // as it was written
      partitionBlocks: Number(row.partition_blocks),
      isIndexed: row.is_indexed,
    }
  }

  /** Tries for as long as the database is away, slow or full. */
  async #persist<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++
    try {
      return await this.#tryUntilDone(work)
    } finally {
      this.#busy--
    }
  }

  async #tryUntilDone<T>(work: () => Promise<T>): Promise<T> {
    const { signal, say } = this.#options
    for (let attempt = 0, said = ''; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (signal.aborted) throw error
        if (error instanceof DatabaseError || error instanceof NewerSchemaError)
          throw new FollowError(`the database rejected a statement: ${error.message}`)
        if (!(error instanceof DatabaseAwayError)) throw error
        const { awayReason } = this.#database
        // That it is away was said already, once.
        if (awayReason === undefined && error.message !== said)
          say(`the database: ${error.message}; trying again`)
        said = error.message
        await sleep(Math.min(maxPauseSeconds, 2 ** attempt / 4) * 1000, signal)
      }
    }
  }
}
