import { parseArgs } from 'node:util'
import { suites } from './suites.ts'
import { peerNames } from './support/peers/install.ts'
import { locatePeer } from './support/peers/locate.ts'
import type { RunOptions } from './support/run/part.ts'

export interface BenchOptions {
  readonly run: RunOptions
  readonly suites: readonly string[]
  readonly isJson: boolean
  /** Two files of results to compare. */
  readonly compare: readonly string[] | undefined
  /** A file of results from which the page and its plots are made again. */
  readonly page: string | undefined
  /** Whether the stages of a transaction are measured in place of the suite. */
  readonly isStages: boolean
  /** How many parts run at once: more than one where figures do not count. */
  readonly atOnce: number
  /** Where results go; undefined for the day's file. */
  readonly out: string | undefined
}

export class UsageError extends Error {}

/** Without --peers those take part that are here; a quick run has none. */
const peersOf = (text: string | undefined, isQuick: boolean): string[] => {
  if (text === undefined)
    return isQuick ? [] : ['anvil', 'geth'].filter((name) => locatePeer(name) !== undefined)
  const names = text.split(',').filter((name) => name !== '' && name !== 'none')
  const unknown = names.find((name) => !(peerNames as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new UsageError(`--peers: there is no ${unknown}, only ${peerNames.join(', ')}`)
  return names
}

const numberOf = (name: string, text: string): number => {
  const value = Number(text)
  if (!(value > 0)) throw new UsageError(`--${name}: wanted a number above 0, got ${text}`)
  return value
}

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: flags })
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/\.? To specify|\n/, 1)[0]}\n${usage}`)
  }
}

const usage = `npm run bench -- <suite>… [--peers ${peerNames.join(',')}] [--quick] [--json] [--only text] [--seconds n] [--accounts n] [--at-once n] [--out file]
npm run bench -- --compare A B
npm run bench -- --page file
npm run bench -- blocks --stages [--quick] [--out file]
suites: all, ${Object.keys(suites).join(', ')}; bench/README.md says more`

const flags = {
  help: { type: 'boolean', default: false },
  peers: { type: 'string' },
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  seconds: { type: 'string' },
  accounts: { type: 'string' },
  only: { type: 'string', default: '' },
  'at-once': { type: 'string', default: '1' },
  out: { type: 'string' },
  compare: { type: 'boolean', default: false },
  page: { type: 'string' },
  stages: { type: 'boolean', default: false },
} as const

export const readOptions = (args: readonly string[]): BenchOptions => {
  const { values, positionals } = parse(args)
  if (values.help) throw new UsageError(usage)
  const generator = process.env.BENCH_GENERATOR
  if (generator !== undefined && generator !== 'own' && generator !== 'wrk')
    throw new UsageError(`BENCH_GENERATOR: wanted own or wrk, got ${generator}`)
  const isQuick = values.quick
  const run: RunOptions = {
    isQuick,
    peers: peersOf(values.peers, isQuick),
    seconds: numberOf('seconds', values.seconds ?? (isQuick ? '0.2' : '3')),
    maxAttempts: isQuick ? 1 : 3,
    only: values.only,
    accounts: values.accounts === undefined ? undefined : numberOf('accounts', values.accounts),
  }
  if (values.compare && positionals.length !== 2)
    throw new UsageError('--compare: wanted two files of results')
  const names = positionals[0] === 'all' ? Object.keys(suites) : positionals
  const unknown = values.compare ? undefined : names.find((name) => !Object.hasOwn(suites, name))
  if (unknown !== undefined) throw new UsageError(`there is no suite ${unknown}`)
  if (values.stages && names.join() !== 'blocks') throw new UsageError('--stages: only of blocks')
  return {
    run,
    suites: names,
    isJson: values.json,
    compare: values.compare ? positionals : undefined,
    page: values.page,
    isStages: values.stages,
    atOnce: numberOf('at-once', values['at-once']),
    out: values.out,
  }
}
