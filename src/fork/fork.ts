import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { toHex } from '../base/encoding/hex.ts'
import { refused } from '../chain/chainError.ts'
import type { ChainFork } from '../chain/port/fork.ts'
import { RemoteError } from '../chain/remoteError.ts'
import type { ForkKey, ForkSource } from '../chain/state/forkSource.ts'
import { CachedForkSource, throwMissing } from './cachedForkSource.ts'
import { confirmForkBlock, type ForkBlock, fetchForkBlock, numberOf, remoteProblem } from './forkBlock.ts'
import { ForkCache } from './forkCache.ts'
import { ForkLoader } from './forkLoader.ts'
import type { AnsweredError } from './remote/answers.ts'
import { type AskOptions, RemoteClient, type RemoteCounters } from './remote/remoteClient.ts'
import type { ForkSettings } from './settings.ts'

export interface ForkOptions {
  readonly settings: ForkSettings
  /** The folder of the files with what was read. */
  readonly folder: string
  /** The URL by which these files are told apart. */
  readonly cacheUrl: string
  /** Whether what was read must survive a power cut. */
  readonly isDurable: boolean
  /** The block that a chain of this home was forked from; undefined for a new chain. */
  readonly known: ForkBlock | undefined
  /** Whether the remote must be asked at once if it still has that block, because it may be another remote. */
  readonly confirms: boolean
  /** How the remote is asked for the block. */
  readonly ask?: AskOptions | undefined
}

/** Throws for a URL that is not one of HTTP; it is not shown, since it may have a key. */
export const assertHttpUrl = (url: string): void => {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw refused('the URL of the remote must begin with http:// or https://')
}

/** Returns the path of the file with the values of one block, as one remote tells them. */
const forkCachePath = (folder: string, url: string, { header, hash }: ForkBlock): string => {
  const remote = createHash('sha256').update(url).digest('hex').slice(0, 16)
  return join(folder, `${remote}-${header.number}-${toHex(hash).slice(2, 10)}.mdb`)
}

/** The remote chain that the local one was forked from. It belongs to the main thread, which never waits for it. */
export class Fork implements ChainFork {
  readonly block: ForkBlock
  readonly cachePath: string
  settings: ForkSettings
  /** Reads what is known, and throws a `MissingForkValueError` for everything else. */
  readonly source: ForkSource
  #client: RemoteClient
  readonly #cache: ForkCache
  readonly #loader: ForkLoader

  private constructor(
    block: ForkBlock,
    client: RemoteClient,
    cache: ForkCache,
    { settings, folder, cacheUrl }: ForkOptions,
  ) {
    this.block = block
    this.settings = settings
    this.cachePath = forkCachePath(folder, cacheUrl, block)
    this.#client = client
    this.#cache = cache
    this.#loader = new ForkLoader(block, () => this.#client, cache)
    this.source = new CachedForkSource(
      numberOf(block),
      cache,
      throwMissing((keys) => this.load(keys)),
    )
  }

  /** Finds the fork block. Throws a `ChainError` if the remote does not give it. */
  static async open(options: ForkOptions): Promise<Fork> {
    const { settings, folder, cacheUrl, isDurable, known, confirms, ask } = options
    const client = new RemoteClient(settings)
    try {
      if (known !== undefined && confirms) await confirmForkBlock(client, known)
      const block = known ?? (await fetchForkBlock(client, settings.block, ask))
      const cache = await ForkCache.open({ path: forkCachePath(folder, cacheUrl, block), isDurable })
      return new Fork(block, client, cache, options)
    } catch (error) {
      client.close()
      throw error
    }
  }

  get url(): string {
    return this.#client.redaction.shownUrl
  }

  get chainId(): bigint {
    return this.block.chainId
  }

  get number(): number {
    return numberOf(this.block)
  }

  get hash(): Uint8Array {
    return this.block.hash
  }

  get retryBackoffMs(): number {
    return this.settings.backoffMs
  }

  get counters(): Readonly<RemoteCounters> {
    return this.#client.counters
  }

  /** Resolves when the values are known. */
  load(keys: readonly ForkKey[]): Promise<void> {
    return this.#loader.load(keys)
  }

  async ask(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    const { result, error } = await this.#client.ask({ method, params }, { signal, takesErrors: true })
    if (error === undefined) return result
    throw this.#toError(method, error)
  }

  async setUrl(url: string): Promise<void> {
    assertHttpUrl(url)
    // The headers are for the node that they were given for.
    const settings = {
      ...this.settings,
      url,
      headers: url === this.settings.url ? this.settings.headers : {},
    }
    const client = new RemoteClient(settings)
    try {
      // Somebody waits for the response.
      await confirmForkBlock(client, this.block, { takesErrors: true, isPrompt: true })
    } catch (error) {
      client.close()
      throw error
    }
    this.#client.close()
    this.#client = client
    this.settings = settings
  }

  /** Returns the error as it may be answered: without keys, and never as an internal error of this node. */
  #toError(method: string, { code, message, data }: AnsweredError): Error {
    const text = this.#client.redaction.clean(message)
    if (code === -32_601)
      return new RemoteError(-32_004, `the remote ${this.url} does not have ${method}: ${text}`)
    // 3 and the range of servers are about the request; anything else is the remote's own trouble.
    const isOfRequest = code === 3 || code === -32_602 || (code <= -32_000 && code >= -32_099)
    return isOfRequest ? new RemoteError(code, text, data) : remoteProblem(this.#client, `fails: ${message}`)
  }

  /** Ends the requests for values that are under way, so that nobody waits for them. */
  interrupt(): void {
    this.#loader.giveUpWaiting()
    this.#client.interrupt()
  }

  /** Ends all requests that are under way; there will be no further ones. */
  abort(): void {
    this.#client.close()
  }

  async close(): Promise<void> {
    this.#client.close()
    await this.#cache.close()
  }
}
