import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { ChainFiles } from '../../support/programs/chainFiles.ts'

/** What geth said, kept: a digest of every output, and some outputs in full. */
export interface Recorded {
  readonly version: string
  /** Hashes of the transactions in the order of the chain. */
  readonly transactions: readonly string[]
  /** By the name of the tracer: a digest for each transaction, or `scriptFailure`. */
  readonly digests: Readonly<Record<string, readonly string[]>>
  /** By the name of the tracer: outputs by transaction hash. */
  readonly samples: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** In place of a digest where geth's own script failed. */
export const scriptFailure = 'failed'

const folder = fileURLToPath(new URL('fixtures', import.meta.url))
const pathOf = (name: string): string => join(folder, `${name}.br`)

const save = (name: string, bytes: Uint8Array): void => writeFileSync(pathOf(name), brotliCompressSync(bytes))
const load = (name: string): Buffer => brotliDecompressSync(readFileSync(pathOf(name)))

export const saveFixtures = (files: ChainFiles, recorded: Recorded): void => {
  mkdirSync(folder, { recursive: true })
  save('genesis.json', readFileSync(files.genesis))
  save('chain.rlp', readFileSync(files.chain))
  save('geth.json', Buffer.from(JSON.stringify(recorded)))
}

export const loadRecorded = (): Recorded => JSON.parse(load('geth.json').toString()) as Recorded // as it was saved

/** Puts the chain's files into a folder. */
export const unpackChain = (to: string): ChainFiles => {
  const files = { genesis: join(to, 'genesis.json'), chain: join(to, 'chain.rlp') }
  writeFileSync(files.genesis, load('genesis.json'))
  writeFileSync(files.chain, load('chain.rlp'))
  return files
}
