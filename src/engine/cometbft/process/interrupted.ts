import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../../base/logging/log.ts'

/** How long the CometBFT of a process that was killed may hold its data: its watchdog kills it then. */
export const holdMs = 20_000

/**
 * What a kill leaves behind that stops the next CometBFT, though nothing is lost by it. Everything else is left to the
 * operator.
 */
export class InterruptedStart {
  readonly #folder: string
  readonly #log: Logger
  readonly #startedAt = performance.now()

  constructor(folder: string, log: Logger) {
    this.#folder = folder
    this.#log = log
  }

  /** Whether CometBFT can be started again after it ended with this error; fixes what must be fixed for it. */
  canStartAgain(lastError: string): boolean {
    if (isHeldError(lastError)) return performance.now() - this.#startedAt < holdMs
    if (!isUnfinishedError(lastError)) return false
    // CometBFT had the lock of the database when it said so, therefore no other process is about to finish it.
    const removed = removeUnfinishedDatabases(join(this.#folder, 'data'))
    if (removed.length === 0) return false
    this.#log.warn(
      { databases: removed },
      'CometBFT was ended while it created databases, which hold nothing yet: it creates them again',
    )
    return true
  }
}

/** The CometBFT of a process that was killed is still ending. */
const isHeldError = (error: string): boolean => /resource temporarily unavailable/.test(error)

const isUnfinishedError = (error: string): boolean =>
  /database entry point either missing or corrupted|corrupted or incomplete CURRENT/.test(error)

/** The files that a LevelDB has before its first `CURRENT`, and with it its first entry, is there. */
const earlyFile = /^(?:LOCK|LOG|LOG\.old|MANIFEST-\d+|CURRENT\.\d+)$/

/** Removes the files of databases that were never finished, so that they are created again; returns their names. */
const removeUnfinishedDatabases = (data: string): readonly string[] =>
  readdirSync(data).filter((name) => name.endsWith('.db') && removeIfUnfinished(join(data, name)))

const removeIfUnfinished = (database: string): boolean => {
  const names = readdirSync(database)
  if (names.length === 0 || !names.every((name) => earlyFile.test(name))) return false
  for (const name of names) if (name !== 'LOCK') rmSync(join(database, name))
  return true
}
