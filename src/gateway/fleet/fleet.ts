import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { badConfig } from '../../base/exit.ts'
import { writeOwnFile } from '../../base/files/ownFile.ts'
import type { Logger } from '../../base/logging/log.ts'
import { Database, type DatabaseAccess } from '../../base/postgres/database.ts'
import { migrate, NewerSchemaError } from '../../base/postgres/migrations.ts'
import { version } from '../../base/version.ts'
import { FilterRows } from './filterRows.ts'
import { KeyRows } from './keyRows.ts'
import { isLost, type Member, MemberRows } from './memberRows.ts'
import { fleetMigrations, fleetSchema } from './schema.ts'
import { SendRows } from './sendRows.ts'
import { SharedKeys } from './sharedKeys.ts'
import { SharedSends } from './sharedSends.ts'

export interface FleetOptions {
  readonly url: string
  /** CometBFT's id of the chain: a fleet has one. */
  readonly chain: string
  /** How long a filter lives without being polled. */
  readonly filterTimeoutMs: number
  /** The file that says as what this gateway was in the fleet last; a killed one comes back as another. */
  readonly memberFile: string
}

/** What metrics show of a fleet. */
export interface FleetStats {
  /** For how long the database has been away; 0 if it is here. */
  readonly databaseAwaySeconds: number
  /** The gateways as they were when this one wrote last that it is there. */
  readonly members: readonly Member[]
}

interface FleetDependencies {
  readonly height: () => number
  /** Returns what an operator must fix at this gateway. */
  readonly trouble: () => string | undefined
  readonly log: Logger
}

/** How often each gateway writes that it is there, and looks for what others left. */
const beatMs = 2_000
/** How often what has expired is removed. */
const sweepMs = 60_000

class OtherChainError extends Error {
  override readonly name = 'OtherChainError'
}

/** Makes the tables, and looks whose they are. */
const prepare = async (database: DatabaseAccess, chain: string): Promise<void> => {
  await migrate(database, fleetSchema, fleetMigrations)
  const [row] = await database.run(async (sql) => {
    await sql`insert into fleet (id, chain, changes) values (1, ${chain}, 0) on conflict (id) do nothing`
    // A server that takes no commit, because its disk is full or its standby is away, is of no use.
    return sql<{ chain: string }[]>`update fleet set changes = changes where id = 1 returning chain`
  })
  if (row !== undefined && row.chain !== chain)
    throw new OtherChainError(`it is of a fleet in front of ${row.chain}, and this gateway of ${chain}`)
}

/** The gateways that name the same database. What one of them acknowledges, all of them know. */
export class Fleet {
  readonly sends: SharedSends
  readonly filters: FilterRows
  readonly keys: SharedKeys
  readonly #keyRows: KeyRows
  readonly #sendRows: SendRows
  readonly #memberRows: MemberRows
  readonly #database: Database
  readonly #dependencies: FleetDependencies
  readonly #memberFile: string
  readonly #id = randomBytes(9).toString('base64url')
  readonly #timers: NodeJS.Timeout[] = []
  #members: readonly Member[] = []
  #isFormerReplaced = false
  #hasFileFailed = false
  #beating: Promise<void> | undefined

  private constructor(options: FleetOptions, dependencies: FleetDependencies) {
    const { url, chain, filterTimeoutMs, memberFile } = options
    const { log } = dependencies
    const database = new Database({
      url,
      name: `perihelion ${version}`,
      schema: fleetSchema,
      prepare: (access) => prepare(access, chain),
      log,
    })
    this.#database = database
    this.#memberFile = memberFile
    this.#dependencies = dependencies
    this.#sendRows = new SendRows(database, this.#id)
    this.#keyRows = new KeyRows(database)
    this.keys = new SharedKeys(this.#keyRows)
    this.#memberRows = new MemberRows(database, { id: this.#id, name: hostname(), version })
    this.sends = new SharedSends({ rows: this.#sendRows, self: this.#id, database, log })
    this.filters = new FilterRows({ timeoutMs: filterTimeoutMs }, { database, sends: this.#sendRows })
  }

  /**
   * Joins the fleet of a database. A database that does not answer is joined when it does. Throws if it is of another chain, or has been
   * changed by a newer release so that this one cannot use it.
   */
  static async join(options: FleetOptions, dependencies: FleetDependencies): Promise<Fleet> {
    const fleet = new Fleet(options, dependencies)
    await fleet.#database.connect()
    const error = fleet.#database.awayError
    if (error instanceof OtherChainError || error instanceof NewerSchemaError) {
      fleet.#database.close()
      throw badConfig(`gateway.database: ${error.message}`)
    }
    return fleet
  }

  /** Begins to share, once the pool of this gateway is there. */
  async start(): Promise<void> {
    await this.#beat()
    this.sends.start()
    this.#timers.push(
      setInterval(() => void this.#beat(), beatMs).unref(),
      setInterval(() => void this.#sweep(), sweepMs).unref(),
    )
  }

  /** Why the database is away, without secrets; undefined if it is here. */
  get awayReason(): string | undefined {
    return this.#database.awayReason
  }

  stats(): FleetStats {
    return { databaseAwaySeconds: this.#database.awayMs / 1_000, members: this.#members }
  }

  /** Returns what an operator must fix, in one line for everybody; undefined if nothing. */
  findProblem(): string | undefined {
    if (this.#database.awayReason !== undefined)
      return 'the database of the fleet is away: transactions that must be kept and polls of filters are rejected; the log says why'
    const lost = this.#members.filter(isLost)
    if (lost.length > 0)
      return `of the fleet ${lost.map(({ name }) => name).join(', ')} has not been seen for a while`
    return undefined
  }

  /** Ends to share, before the pool of this gateway closes. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#beating
    await this.keys.stop()
    await this.sends.close()
  }

  /** Leaves: others take over at once what this gateway keeps. */
  async close(): Promise<void> {
    await this.#memberRows.leave().catch(() => undefined)
    this.#database.close()
  }

  /** Writes that this gateway is there, and takes over what was left by others. Never rejects. */
  #beat(): Promise<void> {
    this.#beating ??= (async () => {
      try {
        const { height, trouble } = this.#dependencies
        await this.#replaceFormer()
        this.#members = await this.#memberRows.beat({ height: height(), trouble: trouble() })
        this.sends.takeOver(await this.#sendRows.claim())
      } catch {
        // The database says why it is away, once.
      } finally {
        this.#beating = undefined
      }
    })()
    return this.#beating
  }

  /** What this gateway was before it was killed is gone, and others need not wait for it. */
  async #replaceFormer(): Promise<void> {
    if (this.#isFormerReplaced) return
    const file = this.#memberFile
    const former = this.#tryFile(() => (existsSync(file) ? readFileSync(file, 'utf8') : undefined))
    // A power failure may have left anything in it; PostgreSQL would reject a zero byte at each beat.
    if (former !== undefined && /^[\w-]+$/.test(former)) await this.#memberRows.remove(former)
    this.#tryFile(() => writeOwnFile(file, this.#id))
    this.#isFormerReplaced = true
  }

  /** Reads or writes the member file. A gateway without it is still a member: others only wait longer once it is killed. */
  #tryFile<T>(work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      if (!this.#hasFileFailed)
        this.#dependencies.log.warn(
          { err: error, file: this.#memberFile },
          'the member file cannot be used: others will take over later if this gateway is killed; make it a regular, writable file and restart',
        )
      this.#hasFileFailed = true
      return undefined
    }
  }

  async #sweep(): Promise<void> {
    try {
      await this.#sendRows.sweep()
      await this.filters.sweep()
      await this.#keyRows.sweep()
    } catch {
      // The next time.
    }
  }
}
