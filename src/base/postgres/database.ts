import type { Sql, TransactionSql } from 'postgres'
import { sleep } from '../async/sleep.ts'
import type { Logger } from '../logging/log.ts'
import { type DatabaseClient, type DatabaseClientOptions, openDatabaseClient } from './databaseClient.ts'
import { DatabaseAwayError, toDatabaseError, verdictOf } from './databaseErrors.ts'
import { type DatabaseHost, parseDatabaseUrl } from './databaseUrl.ts'

export interface DatabaseOptions {
  readonly url: string
  /** How the server's own tables call this program. */
  readonly name: string
  /** The schema in which names without one are looked for. */
  readonly schema?: string
  readonly maxConnections?: number
  /** A server that has not let us in by then does not answer. */
  readonly connectTimeoutMs?: number
  /** What takes longer fails; where nothing at all is answered for so long, the database is away. */
  readonly timeoutMs?: number
  /** Makes sure each time that a server is reached that it can be used. While this fails the database is away. */
  readonly prepare?: (database: DatabaseAccess) => Promise<void>
  readonly log: Pick<Logger, 'warn' | 'info'>
}

/** Ways to ask a database. */
export type DatabaseAccess = Pick<Database, 'run' | 'transaction'>

const firstPauseMs = 100
const maxPauseMs = 2_000
/** How often a transaction is made again that the server gave up for another one. */
const maxAttempts = 5

const begin = async <T>(sql: Sql, work: (sql: TransactionSql) => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await sql.begin(work)) as T // what the work returned; the package unwraps lists of promises
    } catch (error) {
      if (verdictOf(error) !== 'again' || attempt === maxAttempts) throw error
    }
  }
}

/**
 * A PostgreSQL database with bounds: connections, time to connect, time for a response. It is here, or it is away; while it is
 * away whatever is asked fails at once with a `DatabaseAwayError`, and it is tried again with growing pauses, one host of the
 * URL after the other, until one of them lets us write.
 */
export class Database {
  /** The URL as it may be shown. */
  readonly shown: string
  readonly #hosts: readonly DatabaseHost[]
  readonly #password: string | undefined
  readonly #options: DatabaseClientOptions & { readonly timeoutMs: number }
  readonly #log: DatabaseOptions['log']
  readonly #prepare: DatabaseOptions['prepare']
  readonly #closed = new AbortController()
  readonly #onBack: (() => void)[] = []
  readonly #waiting = new Set<() => void>()
  #client: DatabaseClient | undefined
  /** Why it is away; undefined while it is here, or was never tried. */
  #reason: string | undefined
  #error: unknown
  #awaySince: number | undefined
  #connecting: Promise<void> | undefined
  #attempts = 0
  #answeredAt = Number.NEGATIVE_INFINITY

  /** Throws a `DatabaseUrlError`. */
  constructor(options: DatabaseOptions) {
    const {
      url,
      name,
      schema,
      maxConnections = 8,
      connectTimeoutMs = 3_000,
      timeoutMs = 3_000,
      log,
      prepare,
    } = options
    const address = parseDatabaseUrl(url)
    this.shown = address.shown
    this.#hosts = address.hosts
    this.#password = address.password
    this.#options = {
      address,
      name,
      schema,
      maxConnections,
      connectTimeoutMs,
      timeoutMs,
      statementTimeoutMs: Number.isFinite(timeoutMs) ? timeoutMs : 0,
    }
    this.#log = log
    this.#prepare = prepare
  }

  /** Why it is away, without secrets; undefined if it is here, as far as is known. */
  get awayReason(): string | undefined {
    return this.#reason
  }

  /** What went wrong when it was tried last; undefined if it is here. */
  get awayError(): unknown {
    return this.#error
  }

  /** For how long it has been away, in milliseconds; 0 if it is here. */
  get awayMs(): number {
    return this.#awaySince === undefined ? 0 : performance.now() - this.#awaySince
  }

  /** Calls a listener each time that it is here again, and when it is here first. */
  onBack(listener: () => void): void {
    this.#onBack.push(listener)
  }

  /** Resolves when it is here. Rejects with a `DatabaseAwayError` if that takes too long. */
  async waitUntilHere(timeoutMs: number): Promise<void> {
    await this.connect()
    if (this.#client !== undefined) return
    let timer: NodeJS.Timeout | undefined
    const here = new Promise<void>((resolve) => {
      this.#waiting.add(resolve)
      timer = setTimeout(() => {
        this.#waiting.delete(resolve)
        resolve()
      }, timeoutMs)
    })
    await here
    clearTimeout(timer)
    if (this.#client === undefined) throw this.#awayError()
  }

  /** Resolves when it is here, or has been tried once. */
  async connect(): Promise<void> {
    if (this.#client !== undefined || this.#reason !== undefined || this.#closed.signal.aborted) return
    this.#connecting ??= this.#connectOnce()
    await this.#connecting
  }

  /**
   * Runs statements. What takes longer than the timeout fails. Whether the server did it all the same is not known then, so
   * statements should be ones that may be made twice.
   */
  async run<T>(
    work: (sql: Sql) => Promise<T>,
    { timeoutMs = this.#options.timeoutMs }: { readonly timeoutMs?: number } = {},
  ): Promise<T> {
    await this.connect()
    const client = this.#client
    if (client === undefined) throw this.#awayError()
    return this.#runOn(client, work, timeoutMs)
  }

  /** Runs statements in one transaction, again if the server gave it up for another one. */
  async transaction<T>(
    work: (sql: TransactionSql) => Promise<T>,
    options: { readonly timeoutMs?: number } = {},
  ): Promise<T> {
    return this.run((sql) => begin(sql, work), options)
  }

  /** Gives all connections back, at once. */
  close(): void {
    this.#closed.abort()
    this.#client?.destroy()
    this.#client = undefined
    this.#reason ??= 'it is closed'
  }

  async #runOn<T>(client: DatabaseClient, work: (sql: Sql) => Promise<T>, timeoutMs: number): Promise<T> {
    try {
      const result = await this.#inTime(client, work(client.sql), timeoutMs)
      this.#answeredAt = performance.now()
      return result
    } catch (error) {
      if (verdictOf(error) === 'gone') this.#onGone(client, error)
      else if (!(error instanceof DatabaseAwayError)) this.#answeredAt = performance.now()
      throw toDatabaseError(error, (text) => this.#clean(text))
    }
  }

  /** Asks a server that nothing else is asked of yet. */
  #accessTo(client: DatabaseClient): DatabaseAccess {
    const run: DatabaseAccess['run'] = (work, { timeoutMs = this.#options.timeoutMs } = {}) =>
      this.#runOn(client, work, timeoutMs)
    return { run, transaction: (work, options) => run((sql) => begin(sql, work), options) }
  }

  /** Fails when the time is over. If nothing was answered meanwhile, it is the database that is away. */
  async #inTime<T>(client: DatabaseClient, work: Promise<T>, timeoutMs: number): Promise<T> {
    if (!Number.isFinite(timeoutMs)) return work
    const startedAt = performance.now()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const onTimeout = (): void => {
        const error = new DatabaseAwayError(`it did not answer within ${timeoutMs} ms`)
        if (this.#answeredAt < startedAt) this.#onGone(client, error)
        else this.#destroyIfStuck(client, work, timeoutMs)
        reject(error)
      }
      timer = setTimeout(onTimeout, timeoutMs)
    })
    // When the time is over nobody waits for it any more.
    work.catch(() => undefined)
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** The server ends what takes too long. Where it does not, that connection is lost, and the others with it. */
  #destroyIfStuck(client: DatabaseClient, work: Promise<unknown>, timeoutMs: number): void {
    const onStuck = (): void => this.#onGone(client, new DatabaseAwayError('a connection does not answer'))
    const timer = setTimeout(onStuck, timeoutMs)
    timer.unref()
    const end = (): void => clearTimeout(timer)
    work.then(end, end)
  }

  #awayError(): DatabaseAwayError {
    return new DatabaseAwayError(this.#reason ?? 'it was not reached yet')
  }

  #clean(text: string): string {
    const password = this.#password
    return password === undefined || password.length < 3 ? text : text.replaceAll(password, '…')
  }

  #onGone(client: DatabaseClient, error: unknown): void {
    if (this.#client !== client) return
    client.destroy()
    this.#client = undefined
    this.#setAway(error)
    this.#reconnect()
  }

  #setAway(error: unknown): void {
    if (this.#closed.signal.aborted) return
    const reason = toDatabaseError(error, (text) => this.#clean(text)).message
    this.#error = error
    const isNew = this.#awaySince === undefined
    this.#awaySince ??= performance.now()
    this.#reason = reason
    if (isNew) this.#log.warn({ database: this.shown, reason }, 'the database is away')
  }

  /** Tries until it is here. */
  #reconnect(): void {
    this.#connecting ??= (async () => {
      for (let pauseMs = firstPauseMs; !this.#closed.signal.aborted; pauseMs *= 2) {
        if (await this.#tryNextHost()) return
        await sleep(Math.min(pauseMs, maxPauseMs), this.#closed.signal)
      }
    })().finally(() => {
      this.#connecting = undefined
    })
  }

  async #connectOnce(): Promise<void> {
    for (const _ of this.#hosts) if (await this.#tryNextHost()) break
    this.#connecting = undefined
    if (this.#client === undefined && !this.#closed.signal.aborted) this.#reconnect()
  }

  /** Returns whether a server lets us in and takes writes. */
  async #tryNextHost(): Promise<boolean> {
    const host = this.#hosts[this.#attempts++ % this.#hosts.length] as DatabaseHost // there is one
    let client: DatabaseClient | undefined
    try {
      client = await openDatabaseClient(host, this.#options)
      const { sql } = client
      const asked = sql<{ transaction_read_only: string }[]>`show transaction_read_only`
      const [state] = await this.#inTime(client, asked, this.#options.connectTimeoutMs)
      if (state?.transaction_read_only === 'on') throw new DatabaseAwayError('it takes no writes')
      await this.#prepare?.(this.#accessTo(client))
    } catch (error) {
      client?.destroy()
      this.#setAway(error)
      return false
    }
    if (this.#closed.signal.aborted) {
      client.destroy()
      return false
    }
    this.#client = client
    this.#answeredAt = performance.now()
    if (this.#awaySince !== undefined)
      this.#log.info(
        { database: this.shown, seconds: Math.round(this.awayMs / 1_000) },
        'the database is here',
      )
    this.#awaySince = undefined
    this.#reason = undefined
    this.#error = undefined
    for (const listener of this.#onBack) listener()
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
    return true
  }
}
