import { readFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import type { Options, Sql } from 'postgres'
import type { DatabaseAddress, DatabaseHost, DatabaseTls } from './databaseUrl.ts'

export interface DatabaseClientOptions {
  readonly address: DatabaseAddress
  /** How `pg_stat_activity` calls this program. */
  readonly name: string
  /** The schema in which names without one are looked for. */
  readonly schema: string | undefined
  readonly maxConnections: number
  readonly connectTimeoutMs: number
  /** The server ends statements that take longer, and transactions in which nothing is asked for so long; 0 means never. */
  readonly statementTimeoutMs: number
}

/** The connections to one server. */
export interface DatabaseClient {
  readonly sql: Sql
  /** Closes all sockets at once. What is under way fails, also at a server that does not answer. */
  destroy(): void
}

/** The package has it, and its types do not. */
interface SocketOption {
  readonly socket: () => Socket
}

/** More connections in a row that end without a word, and the server is away. */
const maxSilent = 10

/** An unused connection is given back after this long. */
const idleTimeoutSeconds = 300

type ClientOptions = Options<Record<never, never>>

const tlsOptions = (
  { mode, rootFile, certFile, keyFile }: DatabaseTls,
  { host }: DatabaseHost,
): NonNullable<ClientOptions['ssl']> => {
  if (mode === 'disable') return false
  const files = {
    ...(rootFile !== undefined && { ca: readFileSync(rootFile) }),
    ...(certFile !== undefined && { cert: readFileSync(certFile) }),
    ...(keyFile !== undefined && { key: readFileSync(keyFile) }),
  }
  // The package names no host that is an IP address: the certificate would have to be localhost's.
  if (mode === 'verify-full')
    return { ...files, rejectUnauthorized: true, ...(host !== undefined && { host }) }
  // The name in the certificate may be any.
  if (mode === 'verify-ca')
    return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined }
  return mode === 'prefer' && certFile === undefined ? 'prefer' : { ...files, rejectUnauthorized: false }
}

/** Opens sockets and knows them, since a server that is frozen never closes its side. */
class Sockets {
  readonly #host: DatabaseHost
  #open: Socket[] = []
  #isDestroyed = false

  constructor(host: DatabaseHost) {
    this.#host = host
  }

  open(): Socket {
    const silent = this.#open.filter(({ destroyed, bytesRead }) => destroyed && bytesRead === 0)
    // The package would reconnect at once, forever, to a server that hangs up.
    if (this.#isDestroyed || silent.length > maxSilent)
      throw Object.assign(new Error('the server hangs up'), { code: 'ECONNRESET' })
    const options =
      this.#host.host === undefined
        ? { path: this.#host.path }
        : { host: this.#host.host, port: this.#host.port }
    const socket = createConnection(options)
    socket.setNoDelay(true)
    const open = this.#open.filter((other) => !other.destroyed)
    this.#open = [...(open.some(({ bytesRead }) => bytesRead > 0) ? open : this.#open), socket]
    // The package takes the name for the certificate from here.
    return Object.assign(socket, options)
  }

  destroy(): void {
    this.#isDestroyed = true
    for (const socket of this.#open) socket.destroy()
  }
}

/** Makes a client for one server. Nothing is connected before the first request. */
export const openDatabaseClient = async (
  host: DatabaseHost,
  { address, name, schema, maxConnections, connectTimeoutMs, statementTimeoutMs }: DatabaseClientOptions,
): Promise<DatabaseClient> => {
  const { default: postgres } = await import('postgres')
  const sockets = new Sockets(host)
  const { database, user, password } = address
  const options: ClientOptions & SocketOption = {
    // Also shown in the package's own errors.
    ...(host.host === undefined ? { host: 'localhost', port: 5_432 } : { host: host.host, port: host.port }),
    database,
    user,
    ...(password !== undefined && { password }),
    ssl: tlsOptions(address.tls, host),
    max: maxConnections,
    connect_timeout: connectTimeoutMs / 1_000,
    idle_timeout: idleTimeoutSeconds,
    // A pause of its own is not needed: `Database` makes a new client, after a pause.
    backoff: () => 0,
    fetch_types: false,
    prepare: true,
    onnotice: () => undefined,
    connection: {
      application_name: name,
      ...(schema !== undefined && { search_path: schema }),
      ...(statementTimeoutMs > 0 && {
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: statementTimeoutMs,
      }),
    },
    socket: () => sockets.open(),
  }
  const sql = postgres(options)
  return {
    sql,
    destroy: () => {
      sockets.destroy()
      sql.end({ timeout: 0 }).catch(() => undefined)
    },
  }
}
