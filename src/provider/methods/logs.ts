import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { bloomMayContain } from '../../chain/block/bloom.ts'
import type { Session } from '../chain.ts'
import { codes, invalidParams, LightError, limitExceeded } from '../lightError.ts'
import type { ProvenHeader } from '../proving/answers.ts'
import type { LogResult } from '../proving/blocks.ts'
import { readReceipts } from './blocks.ts'
import type { LightMethod } from './method.ts'
import { addressAt, blockAt, hashAt, listOf, objectAt } from './params.ts'

/** Which logs are wanted: empty lists match everything. */
export interface LogPattern {
  readonly addresses: readonly Uint8Array[]
  readonly topics: readonly (readonly Uint8Array[])[]
}

/** How many headers one search proves. */
export const maxLogHeaders = 5_000
const maxAlternatives = 1_000
const maxTopics = 4
/** How many blocks are read at once. */
const atOnce = 8

const alternatives = (given: unknown, decode: (params: readonly unknown[], at: number) => Uint8Array) => {
  if (given === undefined || given === null) return []
  const list = Array.isArray(given) ? listOf(given, 0, maxAlternatives) : [given]
  // A null among topics matches everything, as in geth.
  return list.includes(null) ? [] : list.map((one) => decode([one], 0))
}

export const parsePattern = ({ address, topics }: Readonly<Record<string, unknown>>): LogPattern => ({
  addresses: alternatives(address, addressAt),
  topics: listOf(topics ?? [], 0, maxTopics).map((position) => alternatives(position, hashAt)),
})

/** Returns whether a block may have logs of a pattern, by its bloom: where it has none, none can be left out. */
const mayMatch = ({ header: { logsBloom } }: ProvenHeader, { addresses, topics }: LogPattern): boolean =>
  logsBloom.some((byte) => byte !== 0) &&
  [addresses, ...topics].every(
    (any) => any.length === 0 || any.some((entry) => bloomMayContain(logsBloom, entry)),
  )

const matches = (log: LogResult, pattern: LogPattern): boolean =>
  (pattern.addresses.length === 0 || pattern.addresses.some((address) => toHex(address) === log.address)) &&
  pattern.topics.length <= log.topics.length &&
  pattern.topics.every((any, at) => any.length === 0 || any.some((topic) => toHex(topic) === log.topics[at]))

/** Returns the matching logs of proven blocks: none is left out, as the receipts are all that their headers have. */
export const logsOf = async (
  session: Session,
  headers: readonly ProvenHeader[],
  pattern: LogPattern,
): Promise<readonly LogResult[]> => {
  const candidates = headers.filter((header) => mayMatch(header, pattern))
  const found: LogResult[] = []
  for (let from = 0; from < candidates.length; from += atOnce) {
    const some = await Promise.all(
      candidates
        .slice(from, from + atOnce)
        .map(async (header) => readReceipts(session, await session.block(header))),
    )
    for (const receipts of some)
      for (const { logs } of receipts) found.push(...logs.filter((log) => matches(log, pattern)))
  }
  return found
}

/** Returns the headers of the blocks that a filter names. */
const headersOf = async (
  session: Session,
  filter: Readonly<Record<string, unknown>>,
): Promise<readonly ProvenHeader[]> => {
  const { chain, endpoint, head } = session
  const hash = filter.blockHash ?? filter.blockhash
  if (hash !== undefined && hash !== null) {
    if ((filter.fromBlock ?? filter.toBlock ?? undefined) !== undefined)
      throw invalidParams('expected either blockHash or fromBlock and toBlock, not both')
    const block = await session.find({ hash: hashAt([hash], 0) })
    if (block === undefined) throw new LightError(codes.failed, 'unknown block')
    return [block]
  }
  const [from, to] = [heightOf(session, filter.fromBlock), heightOf(session, filter.toBlock)]
  if (from > to)
    throw invalidParams(
      `invalid block range params: fromBlock ${toQuantity(from)} is after ${toQuantity(to)}`,
    )
  if (to > head.number)
    throw invalidParams(`block range extends beyond current head block ${toQuantity(head.number)}`)
  if (to - from >= maxLogHeaders)
    throw limitExceeded(
      `the range has ${to - from + 1} blocks, at most ${maxLogHeaders} are proven at once: ask up to block ${toQuantity(from + maxLogHeaders - 1)}`,
      { limit: maxLogHeaders, toBlock: toQuantity(from + maxLogHeaders - 1) },
    )
  return chain.headers.range(endpoint, head, from, to)
}

const heightOf = ({ head }: Session, given: unknown): number => {
  const block = blockAt([given], 0)
  if ('hash' in block) throw invalidParams('expected a block number (QUANTITY) or a tag')
  if (block.number === 'pending') throw invalidParams('pending logs are not supported')
  return block.number === 'latest' ? head.number : block.number
}

export const getLogs: LightMethod = async (session, params) => {
  const filter = objectAt(params, 0)
  const pattern = parsePattern(filter)
  return logsOf(session, await headersOf(session, filter), pattern)
}
