import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Measurement } from '../run/measurement.ts'
import type { Difference } from '../run/part.ts'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  readonly node: string
}

/** A run of the bench, as it is kept. */
export interface Results {
  readonly date: string
  /** The commit that was measured; a plus sign behind it if the tree had changes. */
  readonly commit: string
  readonly isQuick: boolean
  readonly machine: Machine
  readonly versions: Readonly<Record<string, string>>
  readonly measurements: readonly Measurement[]
  readonly differences: readonly (Difference & { readonly part: string })[]
  readonly remarks: readonly string[]
  /** The run that a part belongs to, by suite and part, if results are of several runs. */
  readonly origins?: Readonly<Record<string, Origin>>
}

/** When and of what something was measured. */
export interface Origin {
  readonly date: string
  readonly commit: string
}

const partKey = ({ suite, part }: Pick<Measurement, 'suite' | 'part'>): string => `${suite}/${part}`

/** Returns the run that a part belongs to. */
export const originOf = (results: Results, of: Pick<Measurement, 'suite' | 'part'>): Origin =>
  results.origins?.[partKey(of)] ?? results

const originsOf = (results: Results): Record<string, Origin> =>
  Object.fromEntries(
    results.measurements.map((measurement) => {
      const { date, commit } = originOf(results, measurement)
      return [partKey(measurement), { date, commit }]
    }),
  )

const root = fileURLToPath(new URL('../../..', import.meta.url))

export const resultsFolder = join(root, 'bench', 'results')

const git = (...args: readonly string[]): string => {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}

export const readMachine = (): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${process.platform} ${release()}`,
  node: process.version,
})

export const readCommit = (): string =>
  `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+'}`

/** Puts a run beside what was measured before; what it measured again replaces the older. */
export const mergeResults = (older: Results | undefined, newer: Results): Results => {
  if (older === undefined) return newer
  const parts = new Set(newer.measurements.map(partKey))
  const partNames = new Set(newer.measurements.map(({ part }) => part))
  return {
    ...newer,
    versions: { ...older.versions, ...newer.versions },
    measurements: [
      ...older.measurements.filter((measurement) => !parts.has(partKey(measurement))),
      ...newer.measurements,
    ],
    differences: [...older.differences.filter(({ part }) => !partNames.has(part)), ...newer.differences],
    remarks: newer.remarks,
    origins: { ...originsOf(older), ...originsOf(newer) },
  }
}

export const readResults = (file: string): Results => JSON.parse(readFileSync(file, 'utf8')) as Results

/** Writes results so that each measurement is a line, which git can show. */
export const writeResults = (file: string, results: Results): void => {
  const lines = (items: readonly object[]): string =>
    items.length === 0 ? '[]' : `[\n${items.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`
  const { measurements, differences, ...rest } = results
  const head = JSON.stringify(rest, undefined, 2).slice(0, -2)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    `${head},\n  "differences": ${lines(differences)},\n  "measurements": ${lines(measurements.map(round))}\n}\n`,
  )
}

/** Four digits tell all that a measurement knows. */
const round = (measurement: Measurement): Measurement => ({
  ...measurement,
  figures: Object.fromEntries(
    Object.entries(measurement.figures).map(([name, value]) => [name, Number(value.toPrecision(4))]),
  ),
})

/** Returns the newest of each part that was ever kept. */
export const readNewest = (): Results | undefined =>
  readdirSync(resultsFolder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => readResults(join(resultsFolder, name)))
    .reduce<Results | undefined>(mergeResults, undefined)

/** Returns the file of that day. */
export const resultsFile = (date: string): string => join(resultsFolder, `${date}.json`)

export const readExisting = (file: string): Results | undefined =>
  existsSync(file) ? readResults(file) : undefined
