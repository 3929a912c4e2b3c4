import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { assertSoundData, checkData, type OnProgress, openState } from '../../app/dataCheck.ts'
import { badFile, badUsage } from '../../base/exit.ts'
import { type CompactionPart, compactDataFile } from '../../base/lmdb/file/compact.ts'
import { damagedFile } from '../../base/lmdb/file/damage.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { lockHome } from '../../base/lock/homeLock.ts'
import { dataFile, isGatewayHome } from '../../home/layout.ts'
import { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { tableNames } from '../../store/tables/chainTables.ts'
import { print } from '../output/print.ts'
import { createProgress, type Progress, type ProgressOptions } from '../output/progress.ts'

/** `perihelion db` inspects the data of a home, whether or not a node runs on it, and compacts that of a stopped one. */

interface DbOptions {
  readonly home: string
  readonly heights?: string
}

const defaultHome = join(homedir(), '.perihelion')
/** The chain, and the index of calls. */
const dataFileNames = ['chain.mdb', 'calls.mdb'] as const

export const define = (db: Command): void => {
  db.command('check')
    .description('Read everything that is stored against its hashes: pages, states, code, blocks, indexes')
    .option('--home <dir>', 'the home', defaultHome)
    .option('--heights <count>', 'how many of the last heights to check the states of (default: all)')
    .action(check)
  db.command('stats')
    .description('Show rows and sizes of each table, and open readers')
    .option('--home <dir>', 'the home', defaultHome)
    .action(stats)
  db.command('compact')
    .description('Give the free pages of a stopped home back to the disk')
    .option('--home <dir>', 'the home', defaultHome)
    .addHelpText('after', compactHelp)
    .action(compact)
}

const compactHelp = `
The node must be stopped. Each data file is copied without its free pages, the copy is read against it row for row, and then
takes its place; until then the old file is as it was. Free space for the copy is needed meanwhile. A running node uses free
pages again by itself: compacting pays after much was deleted at once, as by a change of --pruning.
`

const compact = async ({ home }: DbOptions): Promise<void> => {
  existingFile(home)
  const unlock = lockHome(home)
  try {
    for (const name of dataFileNames) {
      const path = join(home, 'data', name)
      if (!existsSync(path)) continue
      const report = new PartReport<CompactionPart>((part) => ({ label: `${part} ${name}` }))
      const { bytesBefore, bytesAfter } = await compactDataFile(path, { onProgress: report.step }).finally(
        () => report.stop(),
      )
      writeLine(`compacted file=data/${name} bytes=${bytesAfter} before=${bytesBefore}`)
    }
  } finally {
    unlock()
  }
}

const existingFile = (home: string): string => {
  const path = dataFile(home)
  if (!existsSync(path)) throw badFile(`${path} does not exist`)
  return path
}

const check = async ({ home, heights: wanted }: DbOptions): Promise<void> => {
  const path = existingFile(home)
  const heights = wanted === undefined ? Number.POSITIVE_INFINITY : Number(wanted)
  if (wanted !== undefined && (!Number.isInteger(heights) || heights < 1))
    throw badUsage(`--heights: got ${JSON.stringify(wanted)}, wanted a positive integer`)
  let tables: readonly string[] = []
  let kept: readonly string[] = []
  const report = new PartReport<Parameters<OnProgress>[0]>((part) => ({ label: 'checking', unit: part }))
  const checked = checkData(path, {
    heights,
    onProgress: report.step,
    onOpen: (environment) => {
      kept = describeBlocks(environment)
      tables = describeTables(environment)
    },
  })
  const { file, state, blocks, problems } = await checked.finally(() => report.stop())
  if (state !== undefined) {
    writeLine(`head ${state.head ?? 'none'}, oldest kept ${state.oldest ?? 'none'}`)
    for (const line of kept) writeLine(line)
    writeLine(`${state.accounts} accounts, ${state.slots} slots, ${state.nodes} nodes at the head`)
    writeLine(`${state.heights} heights checked`)
  }
  if (state !== undefined || blocks !== undefined)
    writeLine(blocks === undefined ? 'no blocks are stored here' : `${blocks} blocks checked`)
  writeLine(`${file.pages} pages in use, ${file.freePages} free`)
  for (const line of tables) writeLine(line)
  for (const problem of problems) writeLine(`problem: ${problem}`)
  writeLine(problems.length === 0 ? 'ok' : `${problems.length} problems`)
  if (problems.length > 0)
    throw damagedFile(path, problems, isGatewayHome(home) ? gatewayRemedy : remedyOf(problems))
}

/** One line after the other for each part of the work. */
class PartReport<Part extends string> {
  readonly #describe: (part: Part) => ProgressOptions
  #part: string | undefined
  #progress: Progress | undefined

  constructor(describe: (part: Part) => ProgressOptions) {
    this.#describe = describe
  }

  readonly step = (part: Part, done: number, total: number): void => {
    if (part !== this.#part) {
      this.stop()
      this.#part = part
      this.#progress = createProgress(this.#describe(part))
    }
    this.#progress?.step(done, total)
  }

  stop(): void {
    this.#progress?.stop()
  }
}

const blockRemedy =
  'restore it from a backup, revert to a block before the damage with `perihelion rollback --to`, or import or sync the chain again'

/** Its blocks are those of a chain that others keep. */
const gatewayRemedy = 'restore it from a backup, or remove it, and the gateway follows the chain again'

/** Blocks that can be named may be reverted; a file whose pages are damaged cannot be written to. */
const remedyOf = (problems: readonly string[]): string | undefined =>
  problems.every((problem) => /^(?:block|height) \d/.test(problem)) ? blockRemedy : undefined

const stats = async ({ home }: DbOptions): Promise<void> => {
  const path = existingFile(home)
  await assertSoundData(path)
  const environment = new LmdbEnvironment({ path, readOnly: true })
  try {
    const store = openState(environment)
    writeLine(`file ${environment.path}, ${statSync(environment.path).size} bytes`)
    // A gateway keeps blocks without states.
    if (store !== undefined)
      writeLine(`head ${store.head?.height ?? 'none'}, oldest kept ${store.oldest ?? 'none'}`)
    const lines = [describeBlocks, describeTables, describeReaders].flatMap((describe) =>
      describe(environment),
    )
    for (const line of lines) writeLine(line)
  } finally {
    await environment.close()
  }
}

/** Returns which blocks are kept; nothing if none are stored. */
const describeBlocks = (environment: LmdbEnvironment): readonly string[] => {
  if (!environment.hasTable(tableNames.meta)) return []
  const blocks = new BlockStoreReader(environment)
  const head = blocks.head()?.number
  if (head === undefined) return []
  return [`blocks up to ${head}, with transactions, receipts and logs from ${blocks.oldestComplete()} on`]
}

const describeTables = (environment: LmdbEnvironment): readonly string[] => [
  `${'table'.padEnd(20)} ${'rows'.padStart(12)} ${'depth'.padStart(6)} ${'bytes'.padStart(16)}`,
  ...environment
    .stats()
    .map(
      ({ name, rows, depth, bytes }) =>
        `${name.padEnd(20)} ${String(rows).padStart(12)} ${String(depth).padStart(6)} ${String(bytes).padStart(16)}`,
    ),
]

/** Returns who reads the file now: while a transaction is held, pages that are freed after it are not used again. */
const describeReaders = (environment: LmdbEnvironment): readonly string[] => {
  const rows = environment
    .readers()
    .map(
      ({ pid, transaction }) =>
        `${`process ${pid}`.padEnd(20)} ${String(transaction ?? 'none').padStart(12)}`,
    )
  return rows.length === 0
    ? ['no readers']
    : [`${'reader'.padEnd(20)} ${'transaction'.padStart(12)}`, ...rows]
}

const writeLine = (line: string): void => {
  print`${line}\n`
}
