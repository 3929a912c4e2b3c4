import { userInfo } from 'node:os'

/** Where a server listens: on a port, or on a Unix socket. */
export type DatabaseHost =
  | { readonly host: string; readonly port: number }
  | { readonly path: string; readonly host?: undefined }

/** How a connection is secured, by the names that PostgreSQL's own programs have for it. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

export interface DatabaseTls {
  readonly mode: (typeof sslModes)[number]
  /** PEM files: the authority that signs the server's certificate, and the certificate and key of this client. */
  readonly rootFile: string | undefined
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
}

export interface DatabaseAddress {
  /** In the order in which they are tried. */
  readonly hosts: readonly [DatabaseHost, ...DatabaseHost[]]
  readonly database: string
  readonly user: string
  /** Undefined means the one in PGPASSWORD, if there is one. */
  readonly password: string | undefined
  readonly tls: DatabaseTls
  /** As it may be shown in logs, metrics and errors. */
  readonly shown: string
}

/** Thrown for an invalid database URL. The message names parameters of the URL and nothing else of it. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError'
}

const defaultPort = 5_432
const parameterNames = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']
const form = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#@]*)(?:\/([^?#/]*))?(?:\?([^#]*))?$/

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new DatabaseUrlError('a % in it is not followed by two hexadecimal digits')
  }
}

const parseHost = (entry: string): DatabaseHost => {
  const found = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/.exec(entry)
  const port = Number(found?.[2] ?? defaultPort)
  if (found === null || port < 1 || port > 65_535)
    throw new DatabaseUrlError('a host in it is not a name or address with an optional port')
  return { host: decode(found[1] ?? '').replace(/^\[|\]$/g, ''), port }
}

const parseHosts = (text: string, folder: string | null): DatabaseAddress['hosts'] => {
  if (folder !== null && text !== '' && !folder.startsWith('/'))
    throw new DatabaseUrlError('it names hosts twice')
  if (folder?.startsWith('/')) {
    const port = /:(\d+)$/.exec(text)?.[1] ?? defaultPort
    return [{ path: `${folder}/.s.PGSQL.${port}` }]
  }
  const [first, ...others] = (folder ?? text).split(',')
  if (!first) throw new DatabaseUrlError('it names no host')
  return [parseHost(first), ...others.map(parseHost)]
}

const parseTls = (parameters: URLSearchParams): DatabaseTls => {
  const files = {
    rootFile: parameters.get('sslrootcert') ?? undefined,
    certFile: parameters.get('sslcert') ?? undefined,
    keyFile: parameters.get('sslkey') ?? undefined,
  }
  // As PostgreSQL's programs do: TLS where the server has it, and proof of who it is only if that is requested.
  const given = parameters.get('sslmode') ?? 'prefer'
  const mode = sslModes.find((known) => known === given)
  if (mode === undefined) throw new DatabaseUrlError(`its sslmode must be one of ${sslModes.join(', ')}`)
  return { mode, ...files }
}

const showHost = (host: DatabaseHost): string => {
  if (host.host === undefined) return host.path
  return `${host.host.includes(':') ? `[${host.host}]` : host.host}:${host.port}`
}

/**
 * Reads the URL of a database: `postgres://user:password@host:port/database`, with several hosts if commas are between them, or
 * with the folder of a Unix socket as `?host=/folder`. Throws a `DatabaseUrlError`.
 */
export const parseDatabaseUrl = (url: string): DatabaseAddress => {
  const parts = form.exec(url)
  if (parts === null) throw new DatabaseUrlError('it is not a URL as postgres://user:password@host:5432/name')
  const [, credentials = '', hostText = '', databaseText = '', query = ''] = parts
  const parameters = new URLSearchParams(query)
  const unknown = [...parameters.keys()].find((name) => !parameterNames.includes(name))
  if (unknown !== undefined)
    throw new DatabaseUrlError(
      `its parameter ${unknown} is unknown; known ones are ${parameterNames.join(', ')}`,
    )
  const colon = credentials.indexOf(':')
  const user = decode(colon < 0 ? credentials : credentials.slice(0, colon)) || userInfo().username
  const database = decode(databaseText) || user
  const hosts = parseHosts(hostText, parameters.get('host'))
  return {
    hosts,
    database,
    user,
    password: colon < 0 ? undefined : decode(credentials.slice(colon + 1)),
    tls: parseTls(parameters),
    shown: `postgres://${hosts.map(showHost).join(',')}/${database}`,
  }
}
