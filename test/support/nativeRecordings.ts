import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

/** Recorded responses of a chain of the cosmos/evm family about its blocks (test/fixtures/native/README.md). */

const folder = fileURLToPath(new URL('../fixtures/native', import.meta.url))

/** The text of a file: `native/status.json`. */
export const readRecordedText = (name: string): string =>
  gunzipSync(readFileSync(`${folder}/${name}.gz`)).toString()

/** The heights of all blocks that are there, in order. */
export const allRecordedHeights = (): number[] =>
  readdirSync(`${folder}/native`)
    .map((name) => /^block-(\d+)\.json\.gz$/.exec(name)?.[1])
    .filter((height) => height !== undefined)
    .map(Number)
    .sort((a, b) => a - b)

/** Blocks with transactions, which together have every kind. */
export const recordedHeights = [89, 90, 144, 219, 250, 251, 815]

export interface RecordedEvent {
  readonly type: string
  readonly attributes: readonly { readonly key: string; readonly value: string; readonly index: boolean }[]
}

export interface RecordedResult {
  readonly code: number
  readonly data: string | null
  readonly log: string
  readonly codespace: string
  readonly gas_wanted: string
  readonly gas_used: string
  readonly events: readonly RecordedEvent[]
}

export interface RecordedBlock {
  readonly height: number
  readonly hash: Uint8Array
  /** The time in whole seconds. */
  readonly time: bigint
  readonly txs: readonly Uint8Array[]
  readonly results: readonly RecordedResult[]
  readonly events: readonly RecordedEvent[]
}

interface BlockFile {
  readonly block_id: { readonly hash: string }
  readonly block: { readonly header: { readonly time: string }; readonly data: { readonly txs: string[] } }
}

interface ResultsFile {
  readonly txs_results: readonly RecordedResult[] | null
  readonly finalize_block_events: readonly RecordedEvent[]
}

export const readNativeFile = (name: string): unknown => JSON.parse(readRecordedText(`native/${name}`))

export const readRecording = (height: number): RecordedBlock => {
  const { block_id, block } = readNativeFile(`block-${height}.json`) as BlockFile
  const results = readNativeFile(`block_results-${height}.json`) as ResultsFile
  return {
    height,
    hash: Buffer.from(block_id.hash, 'hex'),
    time: BigInt(Math.floor(Date.parse(block.header.time) / 1000)),
    txs: block.data.txs.map((text) => Buffer.from(text, 'base64')),
    results: results.txs_results ?? [],
    events: results.finalize_block_events,
  }
}
