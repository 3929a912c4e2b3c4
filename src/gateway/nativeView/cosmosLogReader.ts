import { equalBytes } from '../../base/encoding/bytes.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { AppearanceQuery, BlockLogs, LogPattern, LogReader } from '../../chain/port/logs.ts'
import type { CosmosBlockReader } from './cosmosBlockReader.ts'
import { syntheticAddress } from './syntheticTransactions.ts'

/** The number of blocks without a match after which a search yields its progress. */
const progressBlocks = 256

const mayMatch = ({ addresses, topics }: LogPattern): boolean =>
  topics.length <= 1 &&
  (addresses.length === 0 || addresses.some((address) => equalBytes(address, syntheticAddress)))

const joinLogs = (
  number: number,
  indexedLogs: BlockLogs | undefined,
  added: readonly Uint8Array[],
): BlockLogs => {
  const logs = [...(indexedLogs?.logs ?? []), ...added]
  const comma = Buffer.from(',')
  const text = Buffer.concat(logs.flatMap((log, index) => (index === 0 ? [log] : [comma, log])))
  return { number, count: logs.length, text, logs }
}

/**
 * Logs with those of Cosmos transactions after the Ethereum ones of their block. They are in no index: a search that
 * they may match reads each block, and any other costs the same as without them.
 */
export class CosmosLogReader implements LogReader {
  readonly #logs: LogReader
  readonly #blocks: Pick<CosmosBlockReader, 'synthetic'>

  constructor(logs: LogReader, blocks: Pick<CosmosBlockReader, 'synthetic'>) {
    this.#logs = logs
    this.#blocks = blocks
  }

  *search(pattern: LogPattern, from: number, to: number): Generator<BlockLogs> {
    const indexed = this.#logs.search(pattern, from, to)
    if (!mayMatch(pattern)) {
      yield* indexed
      return
    }
    let next = from
    for (const found of indexed) {
      yield* this.#between(pattern, next, found.number - 1)
      yield joinLogs(found.number, found, this.#matching(pattern, found.number))
      next = found.number + 1
    }
    yield* this.#between(pattern, next, to)
  }

  /** Searches blocks that have no matching Ethereum logs. */
  *#between(pattern: LogPattern, from: number, to: number): Generator<BlockLogs> {
    for (let number = from, blocksSinceProgress = 0; number <= to; number++) {
      const added = this.#matching(pattern, number)
      blocksSinceProgress = added.length > 0 ? 0 : blocksSinceProgress + 1
      if (added.length > 0 || blocksSinceProgress % progressBlocks === 0)
        yield joinLogs(number, undefined, added)
    }
  }

  #matching({ topics: [signatures = []] }: LogPattern, number: number): readonly Uint8Array[] {
    return this.#blocks
      .synthetic(number)
      .flatMap(({ logs }) => logs)
      .filter(({ topics: [topic] }) =>
        signatures.length === 0
          ? true
          : topic !== undefined && signatures.some((one) => equalBytes(one, topic)),
      )
      .map(({ json }) => Buffer.from(json))
  }

  appearances(request: AppearanceQuery): readonly TransactionLocation[] {
    return this.#logs.appearances(request)
  }
}
