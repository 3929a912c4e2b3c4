import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { type AbciAddress, addressText, parseAddress } from '../../base/abciAddress.ts'
import { ExitError, exitCodes } from '../../base/exit.ts'
import type { Logger } from '../../base/log.ts'
import { type AbciDependencies, type AbciOptions, createAbciHandler, nativeOfPool } from './abci/handler.ts'
import type { AbciCall } from './abci/messages.ts'
import { AbciServer } from './abci/server.ts'
import { Broadcaster } from './broadcaster.ts'
import { configPath } from './process/home.ts'
import { EngineProcess } from './process/process.ts'
import { EngineRpc } from './rpcClient.ts'

export type CometPlace =
  /** A CometBFT process of our own. */
  | { readonly kind: 'managed'; readonly program: string; readonly folder: string; readonly socket: string }
  /** Somebody else runs it: where it finds the application, and where its RPC is. */
  | { readonly kind: 'attached'; readonly abci: AbciAddress; readonly rpcUrl: string }

export interface CometEngineOptions extends AbciOptions {
  readonly place: CometPlace
}

export interface CometEngineDependencies extends Omit<AbciDependencies, 'onCarried'> {
  /** The engine is gone and will not come back. */
  readonly onFatal: (reason: string) => void
  readonly onCall?: (call: AbciCall, milliseconds: number) => void
}

/** How long the engine may take to replay what the application misses before it serves. */
const startMs = 10 * 60_000
const pollMs = 100

/** The application under CometBFT: the server that it calls, the client for what it is told, and its process. */
export class CometEngine {
  readonly rpc: EngineRpc
  readonly #server: AbciServer
  readonly #broadcaster: Broadcaster
  readonly #process: EngineProcess | undefined
  readonly #watch: { isReady: boolean }
  readonly #log: Logger

  private constructor(
    server: AbciServer,
    rpc: EngineRpc,
    broadcaster: Broadcaster,
    process: EngineProcess | undefined,
    watch: { isReady: boolean },
    log: Logger,
  ) {
    this.#server = server
    this.rpc = rpc
    this.#broadcaster = broadcaster
    this.#process = process
    this.#watch = watch
    this.#log = log
  }

  static async start(
    options: CometEngineOptions,
    dependencies: CometEngineDependencies,
  ): Promise<CometEngine> {
    const { place } = options
    const { pool, log, onFatal, onCall } = dependencies
    const rpc = new EngineRpc(place.kind === 'managed' ? rpcUrlOf(place.folder) : place.rpcUrl)
    const broadcaster = new Broadcaster({ rpc, nativeOf: nativeOfPool(pool), log })
    const handler = createAbciHandler(options, {
      ...dependencies,
      onCarried: (id) => broadcaster.markCarried(id),
    })
    const server = new AbciServer({ handler, log, ...(onCall ? { onCall } : {}) })
    const abci = await server.listen(
      place.kind === 'managed' ? { kind: 'unix', path: place.socket } : place.abci,
    )
    const watch = { isReady: false }
    // Until it is ready, `ready` says that it is gone, and why.
    const onExit = (reason: string): void => {
      if (watch.isReady) onFatal(reason)
    }
    const process =
      place.kind === 'managed'
        ? new EngineProcess({ program: place.program, folder: place.folder, abci, log, onExit })
        : undefined
    if (place.kind === 'attached') log.info({ abci: addressText(abci) }, 'waiting for CometBFT')
    for (const { id } of pool.transactions()) broadcaster.add(id)
    pool.events.on('pending', ({ id }) => broadcaster.add(id))
    pool.events.on('dropped', ({ transaction }) => broadcaster.forget(transaction.id))
    return new CometEngine(server, rpc, broadcaster, process, watch, log)
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  /** Resolves when the engine has brought the application up to its own height and serves. */
  async ready(): Promise<void> {
    const until = performance.now() + startMs
    for (;;) {
      try {
        await this.rpc.status()
        this.#watch.isReady = true
        return
      } catch (error) {
        if (this.#process?.isEnded) throw startFault(this.#process.lastError)
        if (performance.now() > until) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }

  /** Nothing is decided here any more; a block that is being committed is committed. */
  async close(): Promise<void> {
    this.#broadcaster.close()
    this.rpc.close()
    await this.#process?.stop()
    await this.#server.close()
    this.#log.debug('the engine is closed')
  }
}

/** Why it did not start, and where somebody can do something about it, what. */
const startFault = (lastError: string): ExitError => {
  const high = /app block height \((\d+)\) is higher than core \((\d+)\)/.exec(lastError)
  if (high)
    return new ExitError(
      exitCodes.badFile,
      `this home is at block ${high[1]} and CometBFT at ${high[2]}: its data is older than ours. Restore the newer copy ` +
        `of engine/data, or take ours back with "perihelion rollback --to ${high[2]}" (its --help says what that means)`,
    )
  const low = /app block height \((\d+)\) is too far below block store base \((\d+)\)/.exec(lastError)
  if (low)
    return new ExitError(
      exitCodes.badFile,
      `this home is at block ${low[1]} and CometBFT has no blocks below ${low[2]}: restore a newer copy of ` +
        'data/chain.mdb, or begin a new home by state sync',
    )
  return new ExitError(
    exitCodes.internal,
    `CometBFT did not start${lastError === '' ? '; its log says why' : `: ${lastError}`}`,
  )
}

/** What the engine's own configuration says of its RPC; refuses a setting with which a chain like this one stalls. */
const rpcUrlOf = (folder: string): string => {
  const path = configPath({ folder })
  const config = parse(readFileSync(path, 'utf8')) as {
    readonly rpc?: { readonly laddr?: string }
    readonly consensus?: { readonly create_empty_blocks?: boolean }
  }
  if (config.consensus?.create_empty_blocks === false)
    throw new ExitError(
      exitCodes.badConfig,
      `${path}: consensus.create_empty_blocks must be true: each block's header holds the state of the one before, so CometBFT makes a block after each block in any case`,
    )
  const address = parseAddress(config.rpc?.laddr ?? 'tcp://127.0.0.1:26657')
  if (address?.kind !== 'tcp')
    throw new ExitError(exitCodes.badConfig, `${path}: rpc.laddr must be tcp://host:port`)
  const host = address.host === '0.0.0.0' || address.host === '::' ? '127.0.0.1' : address.host
  return addressText({ ...address, host }).replace('tcp://', 'http://')
}
