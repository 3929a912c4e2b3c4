import { toQuantity } from '../../base/encoding/hex.ts'
import { listElements } from '../../base/json/jsonElements.ts'
import type { CallQuery } from '../../chain/port/calls.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { StreamedJson } from '../../chain/port/traces.ts'
import { readStreamedText } from '../../chain/trace/streamedJson.ts'
import { invalidParams, limitExceeded, requestTimedOut, unavailable } from '../../rpc/errors.ts'
import type { CallScope } from '../../rpc/method.ts'
import { assertNotPruned } from '../answers/lookup.ts'
import { type LogSettings, logsJson } from '../eth/logQuery.ts'
import type { TraceFilter } from '../wire/parity.ts'
import { matchingTraces } from './options.ts'

/** The most blocks that are traced for one answer where no index tells which of them match. */
const maxTracedBlocks = 1_000

type FilterScope = Pick<CallScope, 'signal' | 'hold'>

/** Returns the traces of a range of blocks that match a filter, in order. */
export const filterTraces = async (
  chain: Chain,
  limits: LogSettings,
  filter: TraceFilter,
  scope: FilterScope,
) => {
  const range = resolveRange(chain, filter)
  const collector = new TraceCollector(filter, limits, scope)
  const options = matchingTraces(filter)
  const query = { callers: filter.fromAddresses, callees: filter.toAddresses, mode: filter.mode }
  // What is passed over is counted here, where it may go on with local blocks.
  const limit = filter.count === undefined ? undefined : filter.after + filter.count
  const { from, to } = range
  const elsewhere = await chain.traces.filterElsewhere?.({ ...query, limit }, from, to, scope.signal)
  if (elsewhere !== undefined) {
    collector.makeRoom(elsewhere.json.length)
    collector.add(elsewhere.last, elsewhere.json)
  }
  const first = elsewhere === undefined ? from : elsewhere.last + 1
  if (first > range.to) return logsJson(collector.parts)
  for (const number of blocksToTrace(chain, { from: first, to }, query)) {
    if (collector.isFull) break
    if (scope.signal.aborted) throw requestTimedOut()
    const text = await chain.traces.block({ kind: 'number', number: BigInt(number) }, options, scope.signal)
    collector.add(number, await readTraces(text, collector))
  }
  return logsJson(collector.parts)
}

interface BlockRange {
  readonly from: number
  readonly to: number
}

const resolveRange = (chain: Chain, { fromBlock, toBlock }: TraceFilter): BlockRange => {
  const head = BigInt(chain.head().number)
  // Integers of 64 bits until they are known to be heights, so that an error names what was requested.
  const numberOf = (ref: NonNullable<TraceFilter['fromBlock']>): bigint => {
    if (ref.kind === 'number') return ref.number
    if (ref.tag === 'pending') throw invalidParams('the pending block has no traces: ask up to latest')
    if (ref.tag !== 'earliest') return head
    return BigInt(chain.logs.bounds().earliest)
  }
  const from = numberOf(fromBlock ?? { kind: 'tag', tag: 'earliest' })
  const to = toBlock === undefined ? head : numberOf(toBlock)
  if (from > to)
    throw invalidParams(
      `invalid block range params: fromBlock ${toQuantity(from)} is after ${toQuantity(to)}`,
    )
  if (to > head) throw invalidParams(`block range extends beyond current head block ${toQuantity(head)}`)
  return { from: Number(from), to: Number(to) }
}

/** Returns the blocks of a range that may have traces, from the index as far as it goes. */
const blocksToTrace = function* (chain: Chain, range: BlockRange, query: CallQuery): Generator<number> {
  const { calls } = chain
  const { from, to } = { ...range, from: Math.max(1, range.from) }
  assertNotPruned(chain, from)
  // Without an address every call matches, and the index tells nothing.
  if (calls === undefined || query.callers.length + query.callees.length === 0)
    return yield* unindexedBlocks(chain, from, to)
  const coverage = calls.coverage()
  if (coverage !== undefined && from < coverage.oldest)
    throw unavailable(
      `the index of calls (index.calls) begins with block ${coverage.oldest}: ask from there on`,
    )
  const reached = coverage?.newest ?? from - 1
  // The last blocks are traced on the way, so that a client at the head need not wait for the index.
  if (to - Math.max(reached, from - 1) > maxTracedBlocks)
    throw unavailable(
      `the index of calls (index.calls) has reached block ${coverage?.newest ?? 0} of ${to}: ask up to there, or again later`,
    )
  if (from <= reached) yield* calls.blocks(query, from, Math.min(to, reached))
  if (to > reached) yield* unindexedBlocks(chain, Math.max(from, reached + 1), to)
}

const unindexedBlocks = function* (chain: Chain, first: number, to: number): Generator<number> {
  const length = to - first + 1
  if (length > maxTracedBlocks) {
    const last = toQuantity(first + maxTracedBlocks - 1)
    throw limitExceeded(
      `the range has ${length} blocks, at most ${maxTracedBlocks} are traced without an index of calls (index.calls): ask up to block ${last}`,
      { limit: maxTracedBlocks, toBlock: last },
    )
  }
  for (let number = first; number <= to; number++) if (mayHaveTraces(chain, number)) yield number
}

/** Whether a block has transactions, or rewards of proof of work. */
const mayHaveTraces = ({ blocks }: Chain, number: number): boolean =>
  blocks.transactionCount(number) !== 0 || (blocks.header(number)?.difficulty ?? 0n) > 0n

/** Reads the traces of a block into memory, which is counted first. */
const readTraces = async (text: StreamedJson, collector: TraceCollector): Promise<Uint8Array> => {
  try {
    collector.makeRoom(text.size)
  } catch (error) {
    text.dispose()
    throw error
  }
  return text.bytes ?? readStreamedText(text)
}

/** Collects matches up to the number that is wanted, and to the limits of a response. */
class TraceCollector {
  readonly parts: Uint8Array[] = []
  readonly #limits: LogSettings
  readonly #wanted: number
  readonly #scope: FilterScope
  #toSkip: number
  #bytes = 0
  /** The memory of the texts that are kept, and how much was counted for them and for the one that is read. */
  #kept = 0
  #held = 0

  constructor({ after, count }: TraceFilter, limits: LogSettings, scope: FilterScope) {
    this.#limits = limits
    this.#scope = scope
    this.#toSkip = after
    this.#wanted = count ?? Number.POSITIVE_INFINITY
  }

  get isFull(): boolean {
    return this.parts.length >= this.#wanted
  }

  /** Counts the memory of the next text, before it is there. */
  makeRoom(size: number): void {
    const missing = this.#kept + size - this.#held
    if (missing <= 0) return
    this.#scope.hold(missing)
    this.#held += missing
  }

  add(number: number, json: Uint8Array): void {
    const elements = listElements(json)
    if (elements === undefined) throw new Error(`the traces of block ${number} are not a list`)
    const skipped = Math.min(this.#toSkip, elements.length)
    this.#toSkip -= skipped
    if (skipped === elements.length) return
    // What is kept are views of the whole text.
    this.#kept += json.length
    for (const element of elements.slice(skipped)) {
      if (this.isFull) return
      this.#check(number, element.length)
      this.parts.push(element)
      this.#bytes += element.length + 1
    }
  }

  #check(number: number, size: number): void {
    const { logsCap, logsBytesCap } = this.#limits
    const isCount = logsCap > 0 && this.parts.length >= logsCap
    if (!isCount && this.#bytes + size <= logsBytesCap) return
    const setting = isCount ? 'json-rpc.logs-cap' : 'json-rpc.logs-bytes-cap'
    const limit = isCount ? logsCap : logsBytesCap
    throw limitExceeded(
      `more than ${limit} ${isCount ? 'traces' : 'bytes of traces'} match (${setting}), the last of them in block ${toQuantity(number)}: ask for pages with count and after`,
      { setting, limit },
    )
  }
}
