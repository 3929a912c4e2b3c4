import { hasMoreJsonValues } from '../../base/json/jsonTokens.ts'
import { dropReturnData } from '../../cosmos/results/returnData.ts'
import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import { resultLeaf } from '../data/contentHashes.ts'
import type { NativeBlockResults, NativeResult } from '../data/nativeBlock.ts'
import { maxTransactions } from '../data/parseBlock.ts'
import { assembleResults, parseResult } from '../data/parseResults.ts'
import { UntakenBlockError, UpstreamError } from '../data/upstreamError.ts'
import type { ReplyConsumer } from './httpClient.ts'
import { JsonListSplitter } from './listSplitter.ts'

/** The limits of a block's results that a gateway takes, in bytes or characters. */
export interface ResultsLimits {
  /** The text of the whole reply. */
  readonly maxReplyBytes: number
  /** The text of the result of one transaction. */
  readonly maxResultBytes: number
  /** The text of all that is beside the results of transactions: the events of the block. */
  readonly maxOutsideBytes: number
  /** What is kept of all results, logs above all. */
  readonly maxKeptBytes: number
  /**
   * What is kept of all results before texts are cut. It must be more than what comes by WebSocket, where nothing is
   * cut: a block must not depend on the way that it came.
   */
  readonly maxWholeBytes: number
}

const mebibyte = 1024 * 1024

export const defaultResultsLimits: ResultsLimits = {
  maxReplyBytes: 4096 * mebibyte,
  maxResultBytes: 64 * mebibyte,
  maxOutsideBytes: 16 * mebibyte,
  maxKeptBytes: 64 * mebibyte,
  maxWholeBytes: 16 * mebibyte,
}

/** The longest error text and the longest attribute that are kept where texts are cut; logs are kept whole. */
const maxTextLength = 16_384
const logEvent = 'tx_log'
/** The largest number of JSON values in the result of one transaction. */
const maxJsonValues = 2_000_000

const capped = (text: string): string =>
  text.length <= maxTextLength ? text : ownText(text.slice(0, maxTextLength))

/** Returns a copy, because a part of a text keeps the whole in memory. */
const ownText = (text: string): string => Buffer.from(text).toString()

/** Returns what is kept of a result: no return data, and the leaf that proves the whole. */
const reduceResult = (result: NativeResult): NativeResult => ({
  ...result,
  leaf: resultLeaf(result),
  data: dropReturnData(result.data),
})

/** Returns a result without texts beyond their limit. */
const cutTexts = (result: NativeResult): NativeResult => ({
  ...result,
  log: capped(result.log),
  events: result.events.map(cutEvent),
})

const cutEvent = (event: TextEvent): TextEvent =>
  event.type === logEvent || event.attributes.every(({ value }) => value.length <= maxTextLength)
    ? event
    : { ...event, attributes: event.attributes.map(({ key, value }) => ({ key, value: capped(value) })) }

const sizeOf = ({ data, log, events }: NativeResult): number => {
  let size = data.length + log.length
  for (const { type, attributes } of events) {
    size += type.length
    for (const { key, value } of attributes) size += key.length + value.length
  }
  return size
}

/**
 * Parses the reply of `block_results` while it arrives, one transaction after the other, and keeps of each only what a
 * block is made of. Throws an UntakenBlockError for a block beyond the limits.
 */
export class ResultsStream implements ReplyConsumer {
  readonly #limits: ResultsLimits
  readonly #splitter: JsonListSplitter
  readonly #transactions: NativeResult[] = []
  #bytes = 0
  #keptBytes = 0

  constructor(height: number, limits: ResultsLimits = defaultResultsLimits) {
    this.#limits = limits
    this.#splitter = new JsonListSplitter({
      name: 'txs_results',
      maxElementBytes: limits.maxResultBytes,
      maxOutsideBytes: limits.maxOutsideBytes,
      onElement: (json) => this.#add(json, height),
      tooLarge: (message) =>
        new UntakenBlockError(`the results of block ${height} are not taken: ${message}`),
    })
  }

  /** The length of the reply so far. */
  get bytes(): number {
    return this.#bytes
  }

  push(piece: Buffer): void {
    this.#bytes += piece.length
    if (this.#bytes > this.#limits.maxReplyBytes)
      throw new UntakenBlockError(
        `the results of a block are larger than ${this.#limits.maxReplyBytes} bytes`,
      )
    this.#splitter.push(piece)
  }

  end(): Buffer {
    return this.#splitter.end()
  }

  /** Returns the results, given the result of the call without its transactions. */
  assemble(reply: unknown): NativeBlockResults {
    return assembleResults(reply, this.#transactions)
  }

  #add(json: Buffer, height: number): void {
    if (this.#transactions.length === maxTransactions)
      throw new UpstreamError(`block ${height} has the results of more than ${maxTransactions} transactions`)
    if (hasMoreJsonValues(json, maxJsonValues))
      throw new UntakenBlockError(`the results of block ${height} are not taken: one has too many values`)
    let value: unknown
    try {
      value = JSON.parse(json.toString('utf8'))
    } catch {
      throw new UpstreamError('a reply is not JSON')
    }
    const whole = reduceResult(parseResult(value, this.#transactions.length))
    const hasRoom = this.#keptBytes + sizeOf(whole) <= this.#limits.maxWholeBytes
    const result = hasRoom ? whole : cutTexts(whole)
    this.#keptBytes += sizeOf(result)
    if (this.#keptBytes > this.#limits.maxKeptBytes)
      throw new UntakenBlockError(
        `the results of block ${height} are not taken: its logs and events have more than ` +
          `${this.#limits.maxKeptBytes} bytes`,
      )
    this.#transactions.push(result)
  }
}
