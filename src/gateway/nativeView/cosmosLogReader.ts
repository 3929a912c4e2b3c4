import { equalBytes } from '../../base/encoding/bytes.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import { unavailable } from '../../chain/chainError.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { AppearanceQuery, BlockLogs, LogBounds, LogPattern, LogReader } from '../../chain/port/logs.ts'
import type { AppearanceIndex } from '../../store/index/appearances.ts'
import type { NativeIndexReader } from '../../store/index/nativeIndex.ts'
import type { CosmosBlockReader } from './cosmosBlockReader.ts'

/** An index that no block reaches. */
const lastIndex = Number.MAX_SAFE_INTEGER

/** Returns where a query begins among Cosmos transactions, which come behind the Ethereum ones; undefined for nowhere. */
const startOf = (
  { from, direction }: AppearanceQuery,
  ethereumCount: (number: number) => number,
): { readonly at: TransactionLocation | undefined } | undefined => {
  if (from === undefined) return { at: undefined }
  const { number, index } = from
  if (index === lastIndex) return { at: from }
  const position = index - ethereumCount(number)
  if (position >= 0) return { at: { number, index: position } }
  if (direction === 'forward') return { at: { number, index: 0 } }
  return number === 0 ? undefined : { at: { number: number - 1, index: lastIndex } }
}

/** Adds the Cosmos transactions in which an address appears to the Ethereum ones, in the order of the query. */
const mergeAppearances = (
  query: AppearanceQuery,
  stored: readonly TransactionLocation[],
  cosmos: Pick<AppearanceIndex, 'find'>,
  ethereumCount: (number: number) => number,
): readonly TransactionLocation[] => {
  const start = startOf(query, ethereumCount)
  if (start === undefined) return stored
  const added = cosmos
    .find({ ...query, from: start.at })
    .map(({ number, index }) => ({ number, index: ethereumCount(number) + index }))
  if (added.length === 0) return stored
  const sign = query.direction === 'forward' ? 1 : -1
  return [...stored, ...added]
    .sort((a, b) => sign * (a.number - b.number || a.index - b.index))
    .slice(0, query.limit)
}

/** The number of blocks without an index and without a match after which a search yields its progress. */
const progressBlocks = 8

const createMatcher =
  ({ addresses, topics }: LogPattern) =>
  (log: Log): boolean =>
    log.topics.length >= topics.length &&
    (addresses.length === 0 || addresses.some((address) => equalBytes(address, log.address))) &&
    topics.every(
      (choices, position) =>
        choices.length === 0 ||
        choices.some((choice) => equalBytes(choice, log.topics[position] as Uint8Array)), // the length was checked above
    )

const comma = Buffer.from(',')

const joinLogs = (number: number, before: readonly Uint8Array[], added: readonly Uint8Array[]): BlockLogs => {
  const logs = [...before, ...added]
  const text = Buffer.concat(logs.flatMap((log, index) => (index === 0 ? [log] : [comma, log])))
  return { number, count: logs.length, text, logs }
}

/** Logs with those of Cosmos transactions after the Ethereum ones of their block. Both are found through their index. */
export class CosmosLogReader implements LogReader {
  readonly #logs: LogReader
  readonly #blocks: Pick<CosmosBlockReader, 'synthetic' | 'ethereumCount' | 'reverts'>
  readonly #index: Pick<NativeIndexReader, 'logsFrom' | 'candidates' | 'appearances'>

  constructor(
    logs: LogReader,
    blocks: Pick<CosmosBlockReader, 'synthetic' | 'ethereumCount' | 'reverts'>,
    index: Pick<NativeIndexReader, 'logsFrom' | 'candidates' | 'appearances'>,
  ) {
    this.#logs = logs
    this.#blocks = blocks
    this.#index = index
  }

  *search(pattern: LogPattern, from: number, to: number): Generator<BlockLogs> {
    const { reverts } = this.#blocks
    for (const found of this.#merge(pattern, from, to)) {
      yield found
      if (this.#blocks.reverts !== reverts)
        throw unavailable('blocks were reverted during the search; try again')
    }
  }

  searchAll(pattern: LogPattern, from: number, to: number): Generator<BlockLogs> {
    return this.search(pattern, from, to)
  }

  bounds(): LogBounds {
    return this.#logs.bounds()
  }

  *#merge(pattern: LogPattern, from: number, to: number): Generator<BlockLogs> {
    const stored = this.#logs.search(pattern, from, to)[Symbol.iterator]()
    // The first step says whether the range can be searched at all.
    let one = stored.next()
    const synthetic = this.#synthetic(pattern, from, to)
    let other = synthetic.next()
    while (!one.done || !other.done) {
      if (other.done || (!one.done && one.value.number < other.value.number)) {
        yield one.value
        one = stored.next()
      } else if (one.done || other.value.number < one.value.number) {
        yield other.value
        other = synthetic.next()
      } else {
        yield joinLogs(one.value.number, one.value.logs, other.value.logs)
        one = stored.next()
        other = synthetic.next()
      }
    }
  }

  /** Searches the logs of Cosmos transactions alone. Blocks that were stored before there was an index are read. */
  *#synthetic(pattern: LogPattern, from: number, to: number): Generator<BlockLogs> {
    const isMatch = createMatcher(pattern)
    const indexed = Math.max(from, this.#index.logsFrom() ?? to + 1)
    let done = from - 1
    for (let number = from; number < Math.min(indexed, to + 1); number++) {
      const logs = this.#matching(isMatch, number)
      if (logs.length === 0 && number - done < progressBlocks) continue
      yield joinLogs(number, [], logs)
      done = number
    }
    if (indexed > to) return
    for (const { number, runs } of this.#index.candidates(pattern, indexed, to)) {
      // A block with many transactions has several pages, and is read at the first.
      if (number <= done) continue
      done = number
      yield joinLogs(number, [], runs.length === 0 ? [] : this.#matching(isMatch, number))
    }
  }

  #matching(isMatch: (log: Log) => boolean, number: number): readonly Uint8Array[] {
    return this.#blocks
      .synthetic(number)
      .flatMap(({ logs }) => logs)
      .filter(isMatch)
      .map(({ json }) => Buffer.from(json))
  }

  appearances(query: AppearanceQuery): readonly TransactionLocation[] {
    const stored = this.#logs.appearances(query)
    return mergeAppearances(query, stored, this.#index.appearances, (number) =>
      this.#blocks.ethereumCount(number),
    )
  }
}
