import type { RootLogger } from '../../base/logging/log.ts'
import type { Config, SettingName } from '../../config/settings/settings.ts'
import {
  type Loaded,
  removeRunningSettings,
  writeRunningSettings,
} from '../../service/settings/runningSettings.ts'
import type { Service } from '../../service/start/startService.ts'
import { Reloader } from './reload.ts'

/** What this process says of the settings with which it runs. */
export class RunningRecord {
  readonly #started: Loaded
  readonly #log: RootLogger
  #taken: Loaded
  #needRestart: readonly SettingName[] = []
  #isWritten = false

  constructor(started: Loaded, log: RootLogger) {
    this.#started = started
    this.#taken = started
    this.#log = log
  }

  /** Takes settings that were read again, but for those that need a restart. */
  take(taken: Loaded, needRestart: readonly SettingName[]): void {
    this.#taken = taken
    this.#needRestart = needRestart
    // Before the start is complete the lock may be another process's.
    if (this.#isWritten) this.write()
  }

  write(): void {
    this.#isWritten = true
    try {
      writeRunningSettings(this.#started, this.#taken, this.#needRestart)
    } catch (error) {
      this.#log.warn({ reason: (error as Error).message }, 'the settings that run were not written')
    }
  }

  remove(): void {
    if (this.#isWritten) removeRunningSettings(this.#started.config.home)
  }
}

interface ReloaderParts {
  readonly running: RunningRecord | undefined
  readonly service: () => Service | undefined
  readonly log: RootLogger
}

/** Creates what reads the settings again, and records which of them run. */
export const createReloader = (
  config: Config,
  reload: () => Promise<Loaded>,
  { running, service, log }: ReloaderParts,
): Reloader => {
  let read: Loaded | undefined
  return new Reloader(config, {
    load: async () => {
      read = await reload()
      return read.config
    },
    service,
    onTaken: (needRestart) => {
      if (read !== undefined) running?.take(read, needRestart)
    },
    log,
  })
}
