import { allRecordedHeights, readRecordedText } from '../../support/nativeRecordings.ts'
import { sha256 } from './block/comet.ts'
import { consensusParamsJson, upper } from './block/cometJson.ts'
import {
  futureHeight,
  prunedState,
  type QueryAnswer,
  QueryError,
  type ReplayChain,
  type Submission,
  type TransactionLocation,
  type TransactionSearch,
  unknownPath,
} from './chain.ts'
import { encodeJson, responseOf } from './server/recordedQueries.ts'
import { Fields } from './wire.ts'

/**
 * The chain that was recorded (test/fixtures/native/README.md): the blocks that are there, the answers that are there,
 * and an honest error for everything else.
 */

const read = (name: string): string => readRecordedText(name).trim()

interface RecordedQuery {
  readonly method: string
  readonly height: number | null
  readonly request: Readonly<Record<string, unknown>>
  readonly response?: Readonly<Record<string, unknown>>
  readonly error?: string
}

interface Extra {
  readonly consensus_params: unknown
  readonly grpc: readonly RecordedQuery[]
}

interface RecordedBlock {
  readonly block_id: { readonly hash: string }
  readonly block: { readonly data: { readonly txs: readonly string[] } }
}

export interface RecordedOptions {
  /** The heights that the node is said to have; by default from the first recorded one to the last. */
  readonly from?: number
  readonly to?: number
}

export class RecordedChain implements ReplayChain {
  readonly nativeChainId = '9001'
  readonly engine = '0.39.0'
  readonly oldEngine = false
  readonly indexed = true
  readonly earliest: number
  readonly earliestState: number
  readonly heights: readonly number[]
  #head: number
  readonly #last: number
  readonly #blocks = new Map<number, string>()
  readonly #hashes = new Map<string, number>()
  readonly #natives = new Map<string, TransactionLocation>()
  readonly #ethereum = new Map<string, TransactionLocation>()
  readonly #queries: RecordedQuery[]
  readonly #proofs: readonly { path: string; key: string; response: { value: string; proofOps: unknown } }[]

  constructor(options: RecordedOptions = {}) {
    const { from = 0, to = Number.MAX_SAFE_INTEGER } = options
    this.heights = allRecordedHeights().filter((height) => height >= from && height <= to)
    const [first] = this.heights
    const last = this.heights.at(-1)
    if (first === undefined || last === undefined)
      throw new Error(`nothing is recorded from ${from} to ${to}`)
    this.earliest = first
    this.earliestState = first
    this.#head = last
    this.#last = last
    this.#queries = JSON.parse(read('native/grpc.json')) as RecordedQuery[]
    const proofs = JSON.parse(read('native/proofs-144.json')) as Record<string, unknown>
    this.#proofs = Object.values(proofs).filter(isProof)
    for (const height of this.heights) this.#load(height)
  }

  #load(height: number): void {
    const text = read(`native/block-${height}.json`)
    const { block_id, block } = JSON.parse(text) as RecordedBlock
    this.#blocks.set(height, text)
    this.#hashes.set(block_id.hash, height)
    block.data.txs.forEach((tx, index) => {
      this.#natives.set(upper(sha256(Buffer.from(tx, 'base64'))), { height, index })
    })
    const results = JSON.parse(read(`native/block_results-${height}.json`)) as {
      txs_results: { events: { type: string; attributes: { key: string; value: string }[] }[] }[] | null
    }
    results.txs_results?.forEach(({ events }, index) => {
      for (const { attributes } of events)
        for (const { key, value } of attributes)
          if (key === 'ethereumTxHash') this.#ethereum.set(value, { height, index })
    })
    this.#queries.push(...(JSON.parse(read(`native/extra-${height}.json`)) as Extra).grpc)
  }

  get head(): number {
    return this.#head
  }

  /** Shows fewer blocks than there are, so that `grow` can show them one after the other. */
  set head(height: number) {
    this.#head = Math.min(height, this.#last)
  }

  block(height: number): string | undefined {
    return height <= this.#head ? this.#blocks.get(height) : undefined
  }

  results(height: number): string | undefined {
    return this.block(height) === undefined ? undefined : read(`native/block_results-${height}.json`)
  }

  newBlock(height: number): string | undefined {
    const block = this.block(height)
    const results = this.results(height)
    if (block === undefined || results === undefined) return undefined
    const { block_id, block: body } = JSON.parse(block) as { block_id: unknown; block: unknown }
    const { txs_results, finalize_block_events, consensus_param_updates, app_hash } = JSON.parse(results)
    const result_finalize_block = {
      events: finalize_block_events,
      tx_results: txs_results,
      validator_updates: [],
      consensus_param_updates,
      app_hash,
    }
    return JSON.stringify({ block: body, block_id, result_finalize_block })
  }

  consensusParams(height: number): string {
    if (!this.#blocks.has(height)) return consensusParamsJson(height, 10_000_000n)
    return JSON.stringify((JSON.parse(read(`native/extra-${height}.json`)) as Extra).consensus_params)
  }

  validators(height: number): string {
    return read('native/validators-144.json').replace('"block_height":"144"', `"block_height":"${height}"`)
  }

  /** None was recorded. */
  commit(): undefined {
    return undefined
  }

  heightOf(blockHash: string): number | undefined {
    return this.#hashes.get(blockHash)
  }

  find({ nativeHash, ethereumHash, height, from, to }: TransactionSearch): readonly TransactionLocation[] {
    if (nativeHash !== undefined)
      return [this.#natives.get(nativeHash)].filter((place) => place !== undefined)
    if (ethereumHash !== undefined)
      return [this.#ethereum.get(ethereumHash)].filter((place) => place !== undefined)
    const low = height ?? from ?? 0
    const high = height ?? to ?? this.#head
    return [...this.#natives.values()].filter((place) => place.height >= low && place.height <= high)
  }

  busyHeights(): readonly number[] {
    return [...new Set([...this.#natives.values()].map(({ height }) => height))].filter(
      (height) => height <= this.#head,
    )
  }

  /** Facts without a height hold at each; everything else only at the height at which it was asked. */
  query(path: string, request: Uint8Array, height: number): QueryAnswer {
    const method = path.slice(1)
    const same = this.#queries.filter((query) => query.method === method)
    if (same.length === 0) throw unknownPath
    if (height > this.#head) throw futureHeight
    const asked = Buffer.from(request).toString('hex')
    const found =
      same.find((query) => query.height === height && matches(query, asked, request)) ??
      same.find((query) => query.height === null && matches(query, asked, request))
    if (found === undefined) throw prunedState(height, this.#head)
    if (found.response === undefined) throw new QueryError(2, errorText(found.error ?? ''))
    return { code: 0, log: '', value: responseOf(method, found.response) }
  }

  prove(path: string, key: Uint8Array, height: number): QueryAnswer {
    const asked = Buffer.from(key).toString('hex')
    const found = this.#proofs.find((proof) => proof.path === path.replace(/^\//, '') && proof.key === asked)
    if (found === undefined || height !== 144) throw prunedState(height, this.#head)
    const { value, proofOps } = found.response
    return { code: 0, log: '', value: Buffer.from(value ?? '', 'base64'), proof: JSON.stringify(proofOps) }
  }

  unconfirmed(): readonly Uint8Array[] {
    return []
  }

  submit(): Submission {
    return { code: 32, codespace: 'sdk', log: 'this chain takes no transactions: invalid sequence' }
  }

  /** The next recorded block, where there is one. */
  grow(): void {
    this.#head = this.heights.find((height) => height > this.#head) ?? this.#head
  }
}

const isProof = (
  value: unknown,
): value is { path: string; key: string; response: { value: string; proofOps: unknown } } =>
  typeof value === 'object' && value !== null && 'path' in value && 'response' in value

/** The same bytes, or the same call in other words (JSON in another order, an address in another case). */
const matches = (query: RecordedQuery, asked: string, request: Uint8Array): boolean => {
  const encoded = encodeJson(`${query.method} request`, query.request)
  if (Buffer.from(encoded).toString('hex') === asked) return true
  const [mine, theirs] = [new Fields(encoded), new Fields(request)]
  if (/EthCall|EstimateGas/.test(query.method)) return sameCall(mine.bytes(1), theirs.bytes(1))
  const normal = (fields: Fields): string =>
    [1, 2].map((field) => fields.text(field).toLowerCase().replace(/^0x0*/, '')).join(' ')
  return normal(mine) === normal(theirs)
}

const sameCall = (a: Uint8Array, b: Uint8Array): boolean => {
  const call = (bytes: Uint8Array): string => {
    const args = JSON.parse(Buffer.from(bytes).toString()) as Record<string, string | undefined>
    return [args.from, args.to, args.input ?? args.data, args.value].join(' ').toLowerCase()
  }
  return call(a) === call(b)
}

const errorText = (text: string): string => /Message: (.*)/.exec(text)?.[1] ?? text
