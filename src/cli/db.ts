import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { dataFile, LmdbEnvironment } from '../base/lmdb.ts'
import { checkState } from '../state/check.ts'
import { StateStore } from '../state/store.ts'
import { BlockStoreReader } from '../store/blockStoreReader.ts'
import { StoreCheck } from '../store/check.ts'
import { tableNames } from '../store/tables.ts'

/** `perihelion db` inspects the data of a home, whether or not a node runs on it. */

interface DbOptions {
  readonly home: string
  readonly heights?: string
}

const defaultHome = join(homedir(), '.perihelion')

export const define = (db: Command): void => {
  db.command('check')
    .description('Verify the state trie at the head, the last heights and every block')
    .option('--home <dir>', 'the home', defaultHome)
    .option('--heights <count>', 'how many of the last heights to check', '16')
    .action((options: DbOptions) => withStore(options, check))
  db.command('stats')
    .description('Show rows and sizes of each table, and open readers')
    .option('--home <dir>', 'the home', defaultHome)
    .action((options: DbOptions) => withStore(options, stats))
}

const withStore = async (
  options: DbOptions,
  work: (environment: LmdbEnvironment, store: StateStore, options: DbOptions) => void,
): Promise<void> => {
  const path = dataFile(options.home)
  if (!existsSync(path)) {
    process.stderr.write(`perihelion: ${path} does not exist\n`)
    process.exitCode = 1
    return
  }
  const environment = new LmdbEnvironment({ path, readOnly: true })
  try {
    work(environment, new StateStore(environment), options)
  } catch (error) {
    process.stderr.write(`perihelion: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  } finally {
    await environment.close()
  }
}

const check = (environment: LmdbEnvironment, store: StateStore, options: DbOptions): void => {
  const heights = Number(options.heights)
  if (!Number.isInteger(heights) || heights < 1) throw new RangeError('--heights must be a positive integer')
  // The node may commit meanwhile. All of this happens in one turn of the event loop and so in one read transaction.
  const result = checkState(store, heights)
  writeLine(`head ${result.head ?? 'none'}, oldest kept ${result.oldest ?? 'none'}`)
  writeLine(`${result.accounts} accounts, ${result.slots} slots, ${result.nodes} nodes at the head`)
  writeLine(`${result.heights} heights checked`)
  const problems = [...result.problems, ...checkBlocks(environment)]
  writeTables(environment)
  for (const problem of problems) writeLine(`problem: ${problem}`)
  writeLine(problems.length === 0 ? 'ok' : `${problems.length} problems`)
  if (problems.length > 0) process.exitCode = 1
}

/** Checks every retained block: links, roots, indexes, and that all its stored forms agree. */
const checkBlocks = (environment: LmdbEnvironment): readonly string[] => {
  if (!environment.hasTable(tableNames.meta)) {
    writeLine('no blocks are stored here')
    return []
  }
  let blocks = 0
  const issues = new StoreCheck(new BlockStoreReader(environment), environment).run(() => {
    blocks++
    return true
  })
  const problems = Array.from(issues, ({ number, problem }) => `block ${number}: ${problem}`)
  writeLine(`${blocks} blocks checked`)
  return problems
}

const stats = (environment: LmdbEnvironment, store: StateStore): void => {
  writeLine(`file ${environment.path}, ${statSync(environment.path).size} bytes`)
  writeLine(`head ${store.head?.height ?? 'none'}, oldest kept ${store.oldest ?? 'none'}`)
  writeTables(environment)
  writeLine(environment.readers().trimEnd())
}

const writeTables = (environment: LmdbEnvironment): void => {
  writeLine(`${'table'.padEnd(20)} ${'rows'.padStart(12)} ${'depth'.padStart(6)} ${'bytes'.padStart(16)}`)
  for (const { name, rows, depth, bytes } of environment.stats()) {
    writeLine(
      `${name.padEnd(20)} ${String(rows).padStart(12)} ${String(depth).padStart(6)} ${String(bytes).padStart(16)}`,
    )
  }
}

const writeLine = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
