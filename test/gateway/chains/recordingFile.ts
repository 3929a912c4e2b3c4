import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { sha256 } from '../replay/block/comet.ts'

/** Recordings of real chains (test/fixtures/chains/README.md), one file for each. */

const folder = fileURLToPath(new URL('../../fixtures/chains', import.meta.url))

export interface RecordedNode {
  readonly network: string
  /** The version of CometBFT. */
  readonly engine: string
  /** What the gateway found the chain to be. */
  readonly family: string
  /** Whether it had to be told by `gateway.family`. */
  readonly isFamilyTold?: true
  /** Where the node became another program: the first height of the new one, and what the chain was before. */
  readonly upgrade?: { readonly height: number; readonly family: string; readonly isFamilyTold?: true }
  /** The contracts of the traffic by their names, and its accounts. */
  readonly contracts: Readonly<Record<string, string>>
  readonly accounts: readonly string[]
}

/** Results of CometBFT's methods for a height. */
export interface RecordedHeight {
  readonly height: number
  readonly block: unknown
  readonly results: unknown
  readonly commit: unknown
  readonly consensusParams: unknown
  /** Where they are others than those of the height before. */
  readonly validators?: unknown
}

/** A query of a module through CometBFT, with the `response` that it got. */
export interface RecordedQuery {
  readonly path: string
  /** In hex; of a long request its hash, since traces repeat whole blocks. */
  readonly data: string
  /** 0 is the newest. */
  readonly height: number
  readonly prove: boolean
  readonly response: {
    readonly code: number
    readonly log: string
    readonly codespace: string
    readonly value: string | null
    readonly proofOps?: unknown
  }
  /** Of the program before the upgrade. */
  readonly before?: true
}

/** What the chain's own JSON-RPC said. */
export interface RecordedPair {
  readonly method: string
  readonly params: readonly unknown[]
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  /** By the program before the upgrade. */
  readonly before?: true
}

export interface Recording {
  readonly node: RecordedNode
  readonly heights: readonly RecordedHeight[]
  readonly queries: readonly RecordedQuery[]
  readonly pairs: readonly RecordedPair[]
}

export const recordingNames = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl.br'))
    .map((name) => name.replace('.jsonl.br', ''))

export const readRecording = (name: string): Recording => {
  const lines = brotliDecompressSync(readFileSync(`${folder}/${name}.jsonl.br`))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return {
    node: lines[0],
    heights: lines.filter((line) => 'block' in line),
    queries: lines.filter((line) => 'path' in line),
    pairs: lines.filter((line) => 'method' in line),
  }
}

/** How a request is told from others. */
export const requestName = (data: string): string =>
  data.length <= 256 ? data : Buffer.from(sha256(Buffer.from(data, 'hex'))).toString('hex')

/** The bytes of a file. Its lines repeat each other far apart, which gzip does not see. */
export const compressRecording = ({ node, heights, queries, pairs }: Recording): Buffer => {
  const lines = [node, ...heights, ...queries, ...pairs].map((line) => `${JSON.stringify(line)}\n`)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  }
  return brotliCompressSync(lines.join(''), { params })
}
