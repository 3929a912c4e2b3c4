// npm run bench -- <suite> [--peers anvil,geth,hardhat,ganache,evmd] [--quick] [--json] [--only text] [--seconds n] [--accounts n]
//                          [--at-once n] [--out file] | --compare A B | --page file | blocks --stages [--quick] [--out file]
// Runs the parts of a suite, prints a report, and keeps what a full run measured in bench/results; see bench/README.md.
import { type BenchOptions, readOptions, UsageError } from './options.ts'
import { toComparison } from './support/report/compare.ts'
import { writePage } from './support/report/page.ts'
import {
  mergeResults,
  type Results,
  readCommit,
  readExisting,
  readMachine,
  readNewest,
  readResults,
  resultsFile,
  writeResults,
} from './support/report/results.ts'
import { toLine, toText } from './support/report/text.ts'
import type { PartEvent } from './support/run/measurement.ts'
import { runSuites } from './support/run/runSuites.ts'

const say = (line: string): boolean => process.stderr.write(`${line}\n`)

/** Collects what the parts tell, and says it. */
const collect = async (options: BenchOptions): Promise<{ results: Results; failed: string[] }> => {
  const measurements: Results['measurements'][number][] = []
  const differences: Results['differences'][number][] = []
  const versions: Record<string, string> = {}
  const remarks: string[] = []
  const onEvent = (event: PartEvent): void => {
    if (event.kind === 'measurement') {
      measurements.push(event.measurement)
      say(toLine(event.measurement))
    } else if (event.kind === 'difference') {
      differences.push(event.difference)
      const { row, side, text, isVoid } = event.difference
      say(`${row}: ${side} answers differently${isVoid ? ', and is not compared' : ''}: ${text}`)
    } else if (event.kind === 'version') versions[event.side] = event.version
    else {
      if (/left out|failed/.test(event.text)) remarks.push(event.text)
      say(event.text)
    }
  }
  const failed = await runSuites(options.suites, options.run, options.atOnce, onEvent)
  const results = {
    date: new Date().toISOString().slice(0, 10),
    commit: readCommit(),
    isQuick: options.run.isQuick,
    machine: readMachine(),
    ...{ versions, measurements, differences, remarks },
  }
  return { results, failed }
}

/** A quick run and a part of a suite are not kept, unless a file is named. */
const keep = ({ run, out }: BenchOptions, results: Results): void => {
  if (out === undefined && (run.isQuick || run.only !== '')) return
  const file = out ?? resultsFile(results.date)
  writeResults(file, mergeResults(readExisting(file), results))
  say(`written: ${file}`)
  if (out === undefined) say(`written: ${writePage(readNewest() ?? results).join(', ')}`)
}

/** Reads a file of results that the command line names. */
const readGiven = (file: string): Results => {
  try {
    const results = readResults(file)
    if (Array.isArray(results.measurements)) return results
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`)
  }
  throw new UsageError(`${file} is not a file of results`)
}

const main = async (): Promise<number> => {
  const options = readOptions(process.argv.slice(2))
  if (options.compare !== undefined) {
    const [before = '', after = ''] = options.compare
    process.stdout.write(`${toComparison(readGiven(before), readGiven(after))}\n`)
    return 0
  }
  if (options.page !== undefined) {
    const results = readGiven(options.page)
    if (results.isQuick) throw new UsageError(`${options.page} is of a quick run, which is not a page`)
    say(`written: ${writePage(results).join(', ')}`)
    return 0
  }
  if (options.isStages) {
    const { reportStages } = await import('./blocks/stages/report.ts')
    await reportStages({ isQuick: options.run.isQuick, out: options.out, say })
    return 0
  }
  const { results, failed } = await collect(options)
  if (results.measurements.length === 0 && failed.length === 0 && options.run.only !== '')
    throw new UsageError(`no row of ${options.suites.join(', ')} has ${options.run.only} in its name`)
  if (options.isJson) process.stdout.write(`${JSON.stringify(results)}\n`)
  else process.stdout.write(`\n${toText(results.measurements)}\n`)
  // What failed is not kept: its rows would be taken for measured ones.
  if (failed.length === 0) keep(options, results)
  else say(`failed: ${failed.join(', ')}`)
  return failed.length === 0 ? 0 : 1
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: Error) => {
    if (!(error instanceof UsageError)) throw error
    say(error.message)
    process.exitCode = 2
  },
)
