import { sha256 } from '../replay/block/comet.ts'
import { upper } from '../replay/block/cometJson.ts'
import {
  futureHeight,
  type QueryAnswer,
  QueryError,
  type ReplayChain,
  type Submission,
  type TransactionLocation,
  type TransactionSearch,
  unknownPath,
} from '../replay/chain.ts'
import { RecordedQueries } from './recordedQueries.ts'
import type { RecordedHeight, Recording } from './recordingFile.ts'

interface BlockJson {
  readonly block_id: { readonly hash: string }
  readonly block: { readonly data: { readonly txs: readonly string[] } }
}

/** A recorded chain: its blocks, the queries that were asked then, and an error for everything else. */
export class RecordedFamilyChain implements ReplayChain {
  readonly nativeChainId: string
  readonly engine: string
  readonly oldEngine: boolean
  readonly earliest: number
  readonly earliestState: number
  readonly indexed = false
  readonly #last: number
  #head: number
  readonly #heights = new Map<number, RecordedHeight>()
  readonly #hashes = new Map<string, number>()
  readonly #natives = new Map<string, TransactionLocation>()
  readonly #validators = new Map<number, string>()
  /** The first height of the program that the recording ends with. */
  readonly #upgradedAt: number
  readonly #before: RecordedQueries
  readonly #now: RecordedQueries

  constructor({ node, heights, queries }: Recording) {
    this.nativeChainId = node.network
    this.engine = node.engine
    this.oldEngine = /^0\.3[0-7]\./.test(node.engine)
    this.earliest = heights[0]?.height ?? 1
    this.earliestState = this.earliest
    this.#last = heights.at(-1)?.height ?? 0
    this.#head = this.#last
    let validators = ''
    for (const recorded of heights) {
      const { height, block } = recorded
      const { block_id, block: body } = block as BlockJson
      this.#heights.set(height, recorded)
      this.#hashes.set(block_id.hash, height)
      body.data.txs.forEach((tx, index) => {
        this.#natives.set(upper(sha256(Buffer.from(tx, 'base64'))), { height, index })
      })
      if (recorded.validators !== undefined) validators = JSON.stringify(recorded.validators)
      this.#validators.set(height, validators)
    }
    this.#upgradedAt = node.upgrade?.height ?? 0
    this.#before = new RecordedQueries(queries.filter(({ before }) => before))
    this.#now = new RecordedQueries(queries.filter(({ before }) => !before))
  }

  get head(): number {
    return this.#head
  }

  /** Shows fewer blocks than there are, so that `grow` can show them one after the other. */
  set head(height: number) {
    this.#head = Math.min(height, this.#last)
  }

  grow(): void {
    this.head = this.#head + 1
  }

  #at(height: number): RecordedHeight | undefined {
    return height <= this.#head ? this.#heights.get(height) : undefined
  }

  block(height: number): string | undefined {
    return JSON.stringify(this.#at(height)?.block)
  }

  results(height: number): string | undefined {
    return JSON.stringify(this.#at(height)?.results)
  }

  commit(height: number): string | undefined {
    return JSON.stringify(this.#at(height)?.commit)
  }

  consensusParams(height: number): string {
    return JSON.stringify(this.#at(height)?.consensusParams ?? null)
  }

  validators(height: number): string {
    return this.#validators.get(height) ?? ''
  }

  newBlock(height: number): string | undefined {
    const recorded = this.#at(height)
    if (recorded === undefined) return undefined
    const { block_id, block } = recorded.block as { block_id: unknown; block: unknown }
    const results = recorded.results as Readonly<Record<string, unknown>>
    if (this.oldEngine)
      return JSON.stringify({
        block,
        result_begin_block: { events: results.begin_block_events },
        result_end_block: { validator_updates: null, events: results.end_block_events },
      })
    const { txs_results, finalize_block_events, consensus_param_updates, app_hash } = results
    const result_finalize_block = {
      events: finalize_block_events,
      tx_results: txs_results,
      validator_updates: [],
      consensus_param_updates,
      app_hash,
    }
    return JSON.stringify({ block, block_id, result_finalize_block })
  }

  heightOf(blockHash: string): number | undefined {
    return this.#hashes.get(blockHash)
  }

  find({ nativeHash }: TransactionSearch): readonly TransactionLocation[] {
    const place = nativeHash === undefined ? undefined : this.#natives.get(nativeHash)
    return place === undefined ? [] : [place]
  }

  busyHeights(): readonly number[] {
    return [...new Set([...this.#natives.values()].map(({ height }) => height))]
  }

  query(path: string, request: Uint8Array, height: number): QueryAnswer {
    if (height > this.#head) throw futureHeight
    return this.#answer(path, request, height, false)
  }

  prove(path: string, key: Uint8Array, height: number): QueryAnswer {
    return this.#answer(path, key, height, true)
  }

  #answer(path: string, request: Uint8Array, height: number, prove: boolean): QueryAnswer {
    const queries = this.#head < this.#upgradedAt ? this.#before : this.#now
    const found = queries.find(path, request, { height, prove, isNewest: height === this.#head })
    if (found === undefined) {
      if (!queries.knows(path)) throw unknownPath
      throw new QueryError(2, `${path} was not recorded with this request at height ${height}`)
    }
    const { code, log, value, proofOps } = found.response
    if (code !== 0) throw new QueryError(code, log)
    return {
      code,
      log,
      value: Buffer.from(value ?? '', 'base64'),
      ...(proofOps === undefined ? {} : { proof: JSON.stringify(proofOps) }),
    }
  }

  unconfirmed(): readonly Uint8Array[] {
    return []
  }

  submit(): Submission {
    return { code: 32, codespace: 'sdk', log: 'this chain takes no transactions: invalid sequence' }
  }
}
