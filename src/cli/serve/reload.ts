import { closeSync, openSync } from 'node:fs'
import type { RootLogger } from '../../base/logging/log.ts'
import type { ChainControl } from '../../chain/port/control.ts'
import { findConfigChanges } from '../../config/changes.ts'
import type { Config, SettingName } from '../../config/settings/settings.ts'
import type { Service } from '../../service/start/startService.ts'

interface ReloadDependencies {
  /** Reads the settings again, as at the start. */
  readonly load: () => Promise<Config>
  /** Returns the service; undefined while there is none. */
  readonly service: () => Service | undefined
  /** Called when the settings were taken, but for those that need a restart. */
  readonly onTaken?: ((needRestart: readonly SettingName[]) => void) | undefined
  readonly log: RootLogger
}

/** Takes the settings that were changed while the program runs, as far as that is possible. */
export class Reloader {
  readonly #dependencies: ReloadDependencies
  readonly #started: Config
  /** The settings that were taken last. */
  #config: Config
  #last: Promise<void> = Promise.resolve()

  constructor(config: Config, dependencies: ReloadDependencies) {
    this.#started = config
    this.#config = config
    this.#dependencies = dependencies
  }

  /** Reads the settings again; a line of the log says what became of them. */
  reload(): Promise<void> {
    this.#last = this.#last.then(() => this.#reload())
    return this.#last
  }

  /** Gives a service that was opened, for the first time or again, what was taken since the start. */
  apply(service: Service): Promise<void> {
    // After a reload that is under way, which may have begun before there was a service.
    this.#last = this.#last.then(() => this.#apply(service))
    return this.#last
  }

  async #apply(service: Service): Promise<void> {
    if (this.#config === this.#started) return
    try {
      await service.reload(this.#config)
      await this.#changePeers(this.#started, this.#config, service.served.chain.control)
    } catch (error) {
      this.#dependencies.log.error({ reason: (error as Error).message }, notTaken)
    }
  }

  async #reload(): Promise<void> {
    const { load, service: find, onTaken, log } = this.#dependencies
    const service = find()
    try {
      const before = this.#config
      const after = await load()
      const { applied } = findConfigChanges(before, after)
      const { needRestart } = findConfigChanges(this.#started, after)
      await service?.reload(after)
      log.setLevel(after.log.level)
      this.#config = after
      onTaken?.(needRestart)
      const files = [
        ...(after.jsonRpc.keys === undefined ? [] : ['json-rpc.keys']),
        ...(after.jsonRpc.tlsCert === undefined ? [] : ['json-rpc.tls-cert', 'json-rpc.tls-key']),
      ]
      log.info(
        {
          changed: applied.filter((name) => !needRestart.includes(name)),
          ...(needRestart.length === 0 ? {} : { needRestart }),
          filesRead: files,
        },
        needRestart.length === 0
          ? 'the settings were read again'
          : 'the settings were read again: some of them need a restart',
      )
      if (service !== undefined) await this.#changePeers(before, after, service.served.chain.control)
    } catch (error) {
      log.error({ reason: (error as Error).message }, notTaken)
    }
  }

  async #changePeers(before: Config, after: Config, control: ChainControl): Promise<void> {
    const added = after.persistentPeers.filter((peer) => !before.persistentPeers.includes(peer))
    const removed = before.persistentPeers.filter((peer) => !after.persistentPeers.includes(peer))
    const attempt = async (peer: string, action: () => Promise<boolean>): Promise<void> => {
      try {
        await action()
      } catch (error) {
        this.#dependencies.log.warn({ peer, reason: (error as Error).message }, 'a peer was not changed')
      }
    }
    for (const peer of added) await attempt(peer, () => control.addPeer(peer))
    for (const peer of removed) await attempt(peer, () => control.removePeer(peer))
  }
}

const notTaken = 'the settings were not read again: everything stays as it was'

/** Calls `reload` for each SIGHUP. A SIGHUP because the terminal is gone stops the program, as it always did. */
export const reloadOnSignal = (reload: () => Promise<void>): void => {
  const isOnTerminal = process.stdin.isTTY === true || process.stderr.isTTY === true
  process.on('SIGHUP', () => {
    if (isOnTerminal && !hasTerminal()) process.kill(process.pid, 'SIGTERM')
    else void reload()
  })
}

const hasTerminal = (): boolean => {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
