import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type ContentCoding, readCodings } from './http/compression.ts'

/** The types of the files that a site may have. */
const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * What the page may do: run and load what comes from this address, and talk to this address. Nothing may frame it, and
 * no text can become code in it.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  // WebAssembly too: the page runs calls by itself where it believes nothing.
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const codings: Readonly<Record<ContentCoding, string>> = { br: '.br', gzip: '.gz' }
const gunzipAsync = promisify(gunzip)

/** A file of a folder that the build filled: `<name>.br` and `<name>.gz`. */
interface SiteFile {
  readonly name: string
  /** Whether its name holds a hash of its content, so that it never changes. */
  readonly isImmutable: boolean
}

/** A folder of static files that is served to browsers. Nothing of it is read before somebody asks. */
export class Site {
  readonly #folder: string
  #names: Promise<ReadonlySet<string>> | undefined
  readonly #bodies = new Map<string, Promise<Buffer>>()
  readonly #tags = new Map<string, string>()

  constructor(folder: URL) {
    this.#folder = fileURLToPath(folder)
  }

  /**
   * Returns the file that a path names; undefined for other paths. With `hasKeys` the first part of the path may be an
   * API key, which the page then sends on with its requests.
   */
  async find(url: string | undefined, hasKeys: boolean): Promise<SiteFile | undefined> {
    const path = (url ?? '').split(/[?#]/, 1)[0] as string
    const own = hasKeys ? path.replace(/^\/(?!assets\/)[^/]+(?=\/)/, '') : path
    const name = own === '/' ? 'index.html' : own.slice(1)
    this.#names ??= this.#list()
    return (await this.#names).has(name) ? { name, isImmutable: name.startsWith('assets/') } : undefined
  }

  async send({ name, isImmutable }: SiteFile, response: ServerResponse): Promise<void> {
    const { req } = response
    const coding = acceptedCoding(req)
    const body = await this.#read(name, coding)
    const tag = `"${this.#tagOf(name, body, coding)}"`
    response.appendHeader('Vary', 'Accept-Encoding')
    const headers = {
      'Cache-Control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: tag,
      'Content-Security-Policy': contentSecurityPolicy,
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
    }
    if (isKnown(req.headers['if-none-match'], tag)) {
      response.writeHead(304, headers).end()
      return
    }
    response.writeHead(200, {
      ...headers,
      'Content-Type': types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
      'Content-Length': body.length,
      ...(coding !== undefined && { 'Content-Encoding': coding }),
    })
    response.end(req.method === 'HEAD' ? undefined : body)
  }

  async #list(): Promise<ReadonlySet<string>> {
    const files = await readdir(this.#folder, { recursive: true }).catch((): string[] => [])
    return new Set(
      files
        .filter((file) => file.endsWith('.gz'))
        .map((file) => file.slice(0, -'.gz'.length).replaceAll('\\', '/')),
    )
  }

  /** Returns a file in a coding. It stays in memory: the whole site is smaller than one answer may be. */
  #read(name: string, coding: ContentCoding | undefined): Promise<Buffer> {
    const key = `${coding ?? ''} ${name}`
    const known = this.#bodies.get(key)
    if (known !== undefined) return known
    const file = `${this.#folder}${name}${codings[coding ?? 'gzip']}`
    const body = readFile(file).then((bytes) => (coding === undefined ? gunzipAsync(bytes) : bytes))
    this.#bodies.set(key, body)
    body.catch(() => this.#bodies.delete(key))
    return body
  }

  #tagOf(name: string, body: Buffer, coding: ContentCoding | undefined): string {
    const key = `${coding ?? ''} ${name}`
    const known = this.#tags.get(key)
    if (known !== undefined) return known
    const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22)
    this.#tags.set(key, tag)
    return tag
  }
}

const acceptedCoding = ({ headers }: IncomingMessage): ContentCoding | undefined => {
  const accepted = readCodings(headers['accept-encoding'] ?? '')
  return accepted.get('br') ? 'br' : accepted.get('gzip') ? 'gzip' : undefined
}

/** Returns whether a client has this version already; a proxy may have made its tag a weak one. */
const isKnown = (given: string | undefined, tag: string): boolean =>
  (given ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
