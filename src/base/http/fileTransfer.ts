import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { sleep } from '../async/sleep.ts'
import { failOnUpgrade } from './otherProtocol.ts'

/** Thrown if a server does not take or give a file. The message has nothing of the URL, which may hold a key. */
export class TransferError extends Error {
  override readonly name = 'TransferError'
  /** Whether it may go better the next time. */
  readonly isPassing: boolean

  constructor(message: string, isPassing: boolean) {
    super(message)
    this.isPassing = isPassing
  }
}

interface DownloadOptions extends TransferOptions {
  /**
   * The reader knows where the file ends, and reads no further. So an end that it sees is that of a connection, where the server
   * does not say how large the file is.
   */
  readonly hasOwnEnd?: boolean
}

interface TransferOptions {
  readonly signal: AbortSignal
  /** How long nothing may happen. */
  readonly idleTimeoutMs?: number
  readonly retryMs?: number
}

const defaultIdleTimeoutMs = 60_000
/** The first pause before another attempt; each later one is twice as long, up to the longest. */
const defaultRetryMs = 1_000
const longestPause = 30
/** How many attempts in a row may fail: with the pauses between them about a minute and a half. */
const maxAttempts = 8
const maxRedirects = 5
const redirects = [301, 302, 303, 307, 308]
const success = [200, 201, 204]

const isPassingStatus = (status: number): boolean => status >= 500 || status === 408 || status === 429

const refusal = ({ statusCode = 0 }: IncomingMessage): TransferError =>
  new TransferError(`the server answered with status ${statusCode}`, isPassingStatus(statusCode))

/** Makes a request whose connection ends when nothing happens for a while. */
const open = (
  url: string,
  options: { readonly method: string; readonly headers: Readonly<Record<string, string | number>> },
  { signal, idleTimeoutMs = defaultIdleTimeoutMs }: TransferOptions,
): ClientRequest => {
  const request = new URL(url).protocol === 'https:' ? requestHttps : requestHttp
  const opened = request(url, { ...options, signal, timeout: idleTimeoutMs, agent: false })
  let unread: IncomingMessage | undefined
  opened.on('response', (response) => {
    unread = response
  })
  opened.on('timeout', () => {
    // With bytes that nobody has read yet the pause is ours.
    if (unread !== undefined && unread.readableLength > 0) opened.setTimeout(idleTimeoutMs)
    else opened.destroy(new Error(`nothing came for ${idleTimeoutMs / 1_000} s`))
  })
  return opened
}

/** Waits before another attempt. */
const pause = (attempt: number, { signal, retryMs = defaultRetryMs }: TransferOptions): Promise<void> =>
  sleep(retryMs * Math.min(2 ** (attempt - 1), longestPause), signal)

const answerOf = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
    failOnUpgrade(request, reject)
  })

/** Returns what went wrong, of the network where nothing else is known. */
const toTransferError = (error: unknown): TransferError =>
  error instanceof TransferError ? error : new TransferError((error as Error).message, true)

/** Returns where a response redirects to; undefined if it does not. A redirect may not leave https. */
const redirectOf = ({ statusCode = 0, headers }: IncomingMessage, from: string): string | undefined => {
  const { location } = headers
  if (!redirects.includes(statusCode) || location === undefined || !URL.canParse(location, from))
    return undefined
  const to = new URL(location, from).href
  if (!/^https?:/.test(to) || (from.startsWith('https:') && !to.startsWith('https:')))
    throw new TransferError('the server redirects to an address that is not https', false)
  return to
}

/** Requests a file, and follows redirects. */
const get = async (
  url: string,
  headers: Record<string, string>,
  options: TransferOptions,
): Promise<IncomingMessage> => {
  let at = new URL(url).href
  for (let count = 0; ; count++) {
    const request = open(at, { method: 'GET', headers }, options)
    request.end()
    const response = await answerOf(request)
    const next = redirectOf(response, at)
    if (next === undefined) return response
    response.destroy()
    if (count === maxRedirects)
      throw new TransferError(`the server redirects more than ${maxRedirects} times`, false)
    at = next
  }
}

/** What must be the same in each part of a file, as far as the server says it. */
interface FileVersion {
  readonly tag: string | undefined
  readonly date: string | undefined
  readonly size: number | undefined
}

const versionOf = ({ statusCode, headers }: IncomingMessage): FileVersion => {
  const size =
    statusCode === 206 ? /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] : headers['content-length']
  return {
    tag: headers.etag,
    date: headers['last-modified'],
    size: size === undefined ? undefined : Number(size),
  }
}

/** Returns whether parts are of one file. A part may come without the size, from a proxy that packs or streams. */
const isSameFile = (one: FileVersion, other: FileVersion): boolean =>
  one.tag === other.tag &&
  one.date === other.date &&
  (one.size === undefined || other.size === undefined || one.size === other.size)

/** Returns where the bytes of a response begin. Throws if it has none of what was requested. */
const startOf = (response: IncomingMessage, wanted: number): number => {
  const { statusCode = 0, headers } = response
  if (statusCode === 200) return 0
  if (statusCode !== 206 || wanted === 0) throw refusal(response)
  const start = Number(/^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1])
  if (start !== wanted) throw new TransferError('the server sent another part of the file', false)
  return start
}

/**
 * Reads the file at a URL. A connection that breaks is made again, for the rest of the file. Throws a `TransferError` if the
 * server does not have it, does not answer, or has another file by then.
 */
export async function* download(url: string, options: DownloadOptions): AsyncGenerator<Uint8Array> {
  const { signal, hasOwnEnd = false } = options
  let [taken, failures] = [0, 0]
  let version: FileVersion | undefined
  for (;;) {
    try {
      const headers =
        taken === 0 ? {} : { range: `bytes=${taken}-`, ...(version?.tag && { 'if-range': version.tag }) }
      const response = await get(url, headers, options)
      try {
        let at = startOf(response, taken)
        const found = versionOf(response)
        if (taken > 0 && version !== undefined && !isSameFile(version, found))
          throw new TransferError('the file is another one by now', false)
        version = { ...found, size: found.size ?? version?.size }
        for await (const chunk of response as AsyncIterable<Uint8Array>) {
          const known = Math.min(chunk.length, Math.max(0, taken - at))
          at += chunk.length
          if (known === chunk.length) continue
          taken += chunk.length - known
          failures = 0
          yield chunk.subarray(known)
        }
        if (version.size === undefined ? !hasOwnEnd : taken >= version.size) return
        throw new TransferError('the connection ended before the file did', true)
      } finally {
        response.destroy()
      }
    } catch (error) {
      signal.throwIfAborted()
      const failure = toTransferError(error)
      if (!failure.isPassing || ++failures === maxAttempts) throw failure
    }
    await pause(failures, options)
    signal.throwIfAborted()
  }
}

/** Puts a file to a URL. Throws a `TransferError` if the server does not take it. */
export const upload = async (
  path: string,
  url: string,
  { onBytes, ...options }: TransferOptions & { readonly onBytes?: (sent: number, size: number) => void },
): Promise<void> => {
  const { signal } = options
  const { size } = await stat(path)
  const headers = { 'content-length': size, 'content-type': 'application/octet-stream' }
  for (let attempt = 1; ; attempt++) {
    try {
      const request = open(url, { method: 'PUT', headers }, options)
      const answered = answerOf(request)
      const content = createReadStream(path)
      let sent = 0
      content.on('data', (chunk) => {
        sent += chunk.length
        onBytes?.(sent, size)
      })
      const [response] = await Promise.all([
        answered,
        // A server that rejects may do so before it has everything: its response says why.
        pipeline(content, request).catch((error: unknown) => answered.catch(() => Promise.reject(error))),
      ])
      response.resume()
      if (!success.includes(response.statusCode ?? 0)) throw refusal(response)
      return
    } catch (error) {
      signal.throwIfAborted()
      const failure = toTransferError(error)
      if (!failure.isPassing || attempt === maxAttempts) throw failure
    }
    await pause(attempt, options)
    signal.throwIfAborted()
  }
}
