import { badFile, type ExitError } from '../../base/exit.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { Service } from '../../service/start/startService.ts'

export interface ServiceCallbacks {
  /** `waits` says that the chain, when it is open again, writes nothing before there is room. */
  readonly onCommitFailed: (reason: string, waits?: boolean) => void
  readonly onFatal: (error: ExitError) => void
}

export interface ReopeningDependencies {
  /** Starts the service, which is to call these when its chain could not write a block or cannot continue. */
  readonly start: (config: Config, callbacks: ServiceCallbacks) => Promise<Service>
  readonly onFatal: (error: ExitError) => void
  /** Called with the service when it is open, and when it is open again. */
  readonly onOpened: (service: Service) => void
  /** Ends what reads the service before it is closed to be opened again. */
  readonly beforeReopening: () => Promise<void>
  /** Returns milliseconds of a clock that only moves forwards. */
  readonly now: () => number
  readonly log: Logger
}

/** A second failure within this time is not an accident. */
const accidentMs = 10 * 60_000

/**
 * A service that is closed and opened again when a commit failed. What was committed then is unknown until the file is
 * opened again, by all threads of the process: LMDB keeps one environment for all of them. A second failure is the end, unless it
 * was for want of room and the chain waits for it.
 */
export class ReopeningService {
  readonly #config: Config
  readonly #dependencies: ReopeningDependencies
  #current: Promise<Service> | undefined
  #failedAt: number | undefined
  #isClosed = false

  constructor(config: Config, dependencies: ReopeningDependencies) {
    this.#config = config
    this.#dependencies = dependencies
  }

  start(): Promise<Service> {
    this.#current = this.#begin(this.#config)
    return this.#current
  }

  /** Closes the service that runs now. */
  async close(): Promise<void> {
    this.#isClosed = true
    // A chain that could not be opened again was reported by `onFatal`.
    const current = await this.#current?.catch(() => undefined)
    await current?.close()
  }

  async #begin(config: Config): Promise<Service> {
    let hasFailed = false
    const service = await this.#dependencies.start(config, {
      onCommitFailed: (reason, waits = false) => {
        hasFailed = true
        this.#onCommitFailed(reason, waits)
      },
      // What follows from a failed commit, such as the end of an engine that got no response, is over with the reopening.
      onFatal: (error) => {
        if (!hasFailed) this.#dependencies.onFatal(error)
      },
    })
    this.#dependencies.onOpened(service)
    return service
  }

  #onCommitFailed(reason: string, waits: boolean): void {
    const { onFatal, now, log } = this.#dependencies
    if (this.#isClosed) return
    if (!waits && this.#failedAt !== undefined && now() - this.#failedAt < accidentMs)
      return onFatal(
        badFile(
          `${reason}, for the second time: look at the disk of ${this.#config.home} and at the free memory`,
        ),
      )
    if (!waits) this.#failedAt = now()
    log.error({ reason }, 'a block could not be written: the chain is closed and opened again')
    const reopened = this.#reopen(this.#current as Promise<Service>) // only a service that was begun calls this
    this.#current = reopened
    reopened.catch(
      (error: Error) =>
        this.#isClosed || onFatal(badFile(`${reason}; opening the chain again: ${error.message}`)),
    )
  }

  async #reopen(failed: Promise<Service>): Promise<Service> {
    const service = await failed
    const urls = service.urls()
    await this.#dependencies.beforeReopening()
    await service.close().catch((error: Error) => {
      this.#dependencies.log.warn({ reason: error.message }, 'not everything could be closed')
    })
    // Closing it again does nothing.
    if (this.#isClosed) return service
    const reopened = await this.#begin(withPorts(this.#config, urls))
    this.#dependencies.log.info({ height: reopened.served.chain.head().number }, 'the chain is open again')
    return reopened
  }
}

/** Returns settings that listen on the ports that were in use, where any free one was requested. */
const withPorts = (config: Config, urls: ReturnType<Service['urls']>): Config => {
  const { address, wsAddress } = config.jsonRpc
  const at = (configured: typeof address, url: string | undefined): typeof address =>
    configured === undefined || configured.port !== 0 || url === undefined
      ? configured
      : { ...configured, port: Number(new URL(url).port) }
  return {
    ...config,
    jsonRpc: { ...config.jsonRpc, address: at(address, urls.http), wsAddress: at(wsAddress, urls.ws) },
  }
}
