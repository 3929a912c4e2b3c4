import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { badFile, badUsage } from '../../base/exit.ts'
import { DatabaseUrlError } from '../../base/postgres/databaseUrl.ts'
import { BlockFetcher } from '../../follow/blockFetcher.ts'
import { type Choice, choices, isChoice, isWanted, type Only, toOnly } from '../../follow/choice.ts'
import { readEvents } from '../../follow/events/readEvents.ts'
import { Follower, type FollowProgress } from '../../follow/follow.ts'
import { FollowError } from '../../follow/followError.ts'
import { FollowMetrics } from '../../follow/followMetrics.ts'
import { openNodeClient, showTarget } from '../../follow/nodeClient.ts'
import type { Output } from '../../follow/output.ts'
import { FolderOutput, StreamOutput } from '../../follow/outputs.ts'
import { ParquetOutput } from '../../follow/parquet/parquetOutput.ts'
import { type SqlOptions, SqlOutput } from '../../follow/sql/sqlOutput.ts'
import { chainTables } from '../../follow/tables/tables.ts'
import { configOf } from '../flags/homeConfig.ts'
import { jsonOutput, printError } from '../output/print.ts'

interface FollowFlags {
  readonly out: string
  readonly from?: string
  readonly to?: string
  readonly url?: string
  readonly home?: string
  readonly cursor?: string
  readonly poll: string
  readonly traces?: boolean
  readonly only?: string[]
  readonly format: string
  readonly range?: string
  readonly schema?: string
  readonly abi?: string[]
  readonly maxRate?: string
  readonly metrics?: string
}

const defaultRange = 10_000
const defaultSchema = 'chain'
const partitionBlocks = 1_000_000

const reportEveryMs = 5000

/** Defines `perihelion follow`, which writes what a node serves as lines of JSON or as Parquet files, for pipelines. */
export const define = (command: Command): void => {
  command
    .requiredOption(
      '--out <target>',
      'a folder for files, postgres://… for a database, or - for the standard output',
    )
    .addOption(
      new Option('--format <format>', 'what the files are').choices(['ndjson', 'parquet']).default('ndjson'),
    )
    .option('--schema <name>', `the schema of the database (default: ${defaultSchema})`)
    .option(
      '--abi <file...>',
      'ABIs or artifacts of compilers: each of their events gets a table in the database',
    )
    .option('--range <blocks>', `blocks in a Parquet file (default: ${defaultRange})`)
    .option('--from <block>', 'the first block (default: 0); a continued run starts where it ended')
    .option('--to <block>', 'the last block (default: go on with the chain)')
    .option('--url <url>', "the node's address or the path of its socket (default: the socket of the home)")
    .option('--home <dir>', 'the home of the node on this computer (default: as for start)')
    .option('--traces', 'also the call frames of every transaction (the node must serve debug)')
    .option('--only <names...>', `what is written beside traces: ${choices.join(', ')} (default: all)`)
    .option('--cursor <file>', 'where to go on is kept here, with --out -')
    .option('--max-rate <blocks>', 'the most blocks per second that are requested')
    .option('--metrics <host:port>', 'where Prometheus reads how far it is')
    .option('--poll <ms>', 'how often to look for new blocks', '250')
    .action((flags: FollowFlags) => runFollow(flags))
}

const parseCount = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  if (!/^(?:\d{1,15}|0x[0-9a-f]{1,13})$/i.test(text))
    throw badUsage(`--${name}: got ${text}, wanted a whole number`)
  return Number(text)
}

const defaultTarget = (home: string | undefined): string => {
  const config = configOf(home)
  return config.ipcPath ?? join(config.home, 'perihelion.ipc')
}

const parseOnly = (names: readonly string[] | undefined): Only => {
  if (names === undefined) return undefined
  const unknown = names.find((name) => !isChoice(name))
  if (unknown !== undefined) throw badUsage(`--only: got ${unknown}, wanted some of ${choices.join(', ')}`)
  return toOnly(names as Choice[]) // checked above
}

interface Run {
  readonly only: Only
  readonly to: number | undefined
  readonly signal: AbortSignal
  readonly say: (text: string) => void
}

const openOutput = async (flags: FollowFlags, { only, to, signal, say }: Run): Promise<Output> => {
  const { out, cursor, format, range, schema, abi, traces = false } = flags
  const rangeBlocks = parseCount('range', range)
  const isDatabase = /^postgres(?:ql)?:/i.test(out)
  const isParquet = format === 'parquet'
  if (cursor !== undefined && out !== '-')
    throw badUsage('--cursor is for --out -: a folder and a database have their own')
  if (rangeBlocks !== undefined && !isParquet) throw badUsage('--range is for --format parquet')
  if (rangeBlocks === 0) throw badUsage('--range: a file has at least one block')
  if (isParquet && (out === '-' || isDatabase))
    throw badUsage('--format parquet is for a folder: give --out one')
  if (schema !== undefined && !isDatabase) throw badUsage('--schema is for --out postgres://…')
  if (abi !== undefined && !isDatabase) throw badUsage('--abi is for --out postgres://…')
  const events = abi && readEvents(abi)
  if (isDatabase) return await openSql({ url: out, schema: schema ?? defaultSchema, events, signal, say })
  if (out === '-') return new StreamOutput(jsonOutput(), cursor, only)
  if (!isParquet) return await FolderOutput.open(out, traces, only)
  const tables = chainTables(traces, only)
  return await ParquetOutput.open({ folder: out, tables, rangeBlocks: rangeBlocks ?? defaultRange, to })
}

const openSql = async (options: Omit<SqlOptions, 'partitionBlocks'>): Promise<SqlOutput> => {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(options.schema))
    throw badUsage(`--schema: got ${options.schema}, wanted lower-case letters, digits and _`)
  try {
    return await SqlOutput.open({ ...options, partitionBlocks })
  } catch (error) {
    throw error instanceof DatabaseUrlError ? badUsage(`--out: ${error.message}`) : error
  }
}

const runFollow = async (flags: FollowFlags): Promise<void> => {
  const numbers = { from: parseCount('from', flags.from), to: parseCount('to', flags.to) }
  const maxRate = parseCount('max-rate', flags.maxRate)
  if (maxRate === 0) throw badUsage('--max-rate: it needs at least one block a second')
  const pollMs = Math.max(10, parseCount('poll', flags.poll) ?? 0)
  const { url, home, traces = false } = flags
  const only = parseOnly(flags.only)
  if (url !== undefined && home !== undefined) throw badUsage('give --url or --home, not both')
  const say = (text: string): void => printError`${text}\n`
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  // The reader of a pipe has gone: there is nobody to write for.
  process.stdout.on('error', () => stop.abort())
  const target = url ?? defaultTarget(home)
  try {
    const client = openNodeClient(target)
    let metrics: FollowMetrics | undefined
    const output = await openOutput(flags, { only, to: numbers.to, signal: stop.signal, say })
    try {
      if (flags.metrics !== undefined) metrics = await FollowMetrics.listen(flags.metrics)
      const onRetry = (reason: string, seconds: number): void =>
        say(`${showTarget(target)}: ${reason}; again in ${seconds} s`)
      const receipts = isWanted(only, 'receipts') || isWanted(only, 'logs') || output.needsReceipts === true
      const fetcher = new BlockFetcher(
        { traces, receipts, onRetry, maxRate },
        { client, signal: stop.signal },
      )
      const report = createReporter(say)
      const onProgress = (progress: FollowProgress): void => {
        metrics?.onWritten(progress.number + 1)
        report(progress)
      }
      const onHead = (head: number, next: number): void => metrics?.onHead(head, next)
      const onTakenBack = (blocks: number, last: number): void =>
        say(`the chain took ${blocks} blocks back: their rows are removed, it goes on behind block ${last}`)
      const options = { ...numbers, traces, only, pollMs, onProgress, onHead, onTakenBack }
      const done = await new Follower(options, { fetcher, output, signal: stop.signal }).run()
      say(`followed blocks=${done.blocks} transactions=${done.transactions} next=${done.next}`)
    } finally {
      client.close()
      metrics?.close()
      await output.close()
    }
  } catch (error) {
    if (stop.signal.aborted) return
    throw error instanceof FollowError ? badFile(error.message) : error
  }
}

/** Says now and then how far it is, while there is more than a moment's work left. */
const createReporter = (say: (text: string) => void): ((progress: FollowProgress) => void) => {
  const startedAt = performance.now()
  let reportedAt = startedAt
  return ({ blocks, transactions, number, target }) => {
    if (performance.now() - reportedAt < reportEveryMs) return
    reportedAt = performance.now()
    const seconds = (reportedAt - startedAt) / 1000
    const left = Math.round(((target - number) * seconds) / blocks)
    const rates = `${Math.round(blocks / seconds)} blocks/s, ${Math.round(transactions / seconds)} transactions/s`
    say(`block ${number} of ${target}, ${rates}${left > 0 ? `, ${left} s left` : ''}`)
  }
}
