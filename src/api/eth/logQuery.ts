import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { toQuantity } from '../../base/encoding/hex.ts'
import type { BlockNumberOrTag } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { LogFilter } from '../../chain/port/logFilter.ts'
import {
  type CollectedLogs,
  collectLogs,
  type LogLimits,
  type SearchScope,
} from '../../events/filters/collectLogs.ts'
import { callFailed, invalidParams, limitExceeded } from '../../rpc/errors.ts'
import { RawJson } from '../../rpc/rawJson.ts'
import { mapMaybePromise, toHashRef } from '../answers/lookup.ts'

/** The settings of `[json-rpc]` for searches of logs. */
export interface LogSettings extends LogLimits {
  /** The maximum number of blocks in one search; 0 for no limit. */
  readonly blockRangeCap: number
  /** Whether a range that ends above the head is cut at the head. */
  readonly logsClipToHead: boolean
}

interface BlockRange {
  readonly from: number
  readonly to: number
}

const emptyRange: BlockRange = { from: 1, to: 0 }

const settingNames = { logsCap: 'json-rpc.logs-cap', logsBytesCap: 'json-rpc.logs-bytes-cap' } as const

/** Returns the logs that match a filter, as they are stored. */
export const queryLogs = (
  chain: Chain,
  settings: LogSettings,
  filter: LogFilter,
  scope: SearchScope,
): MaybePromise<RawJson> => {
  const range = resolveLogRange(chain, settings, filter)
  checkLength(range, settings.blockRangeCap)
  const found = chain.logs.searchAll(filter, range.from, range.to, scope)
  const collected = mapMaybePromise(found, (blocks) => collectLogs(blocks, settings, scope))
  return mapMaybePromise(collected, (logs) => {
    checkLimits(logs, range, settings)
    return logsJson(logs.parts)
  }) as MaybePromise<RawJson>
}

const open = Buffer.from('[')
const comma = Buffer.from(',')
const close = Buffer.from(']')

/** Returns a JSON array of logs from parts that are joined by commas. */
export const logsJson = (parts: readonly Uint8Array[]): RawJson => {
  const all: Uint8Array[] = [open]
  for (const part of parts) {
    if (all.length > 1) all.push(comma)
    all.push(part)
  }
  all.push(close)
  return new RawJson(all)
}

export const resolveLogRange = (
  chain: Chain,
  { logsClipToHead }: LogSettings,
  filter: LogFilter,
): BlockRange => {
  const { blocks } = filter
  if (blocks.kind === 'hash') {
    const number = chain.blocks.resolve(toHashRef(blocks.hash))
    if (typeof number !== 'number') throw callFailed('unknown block')
    return { from: number, to: number }
  }
  const head = chain.head().number
  assertNotPending(filter)
  const from = heightOf(chain, blocks.from)
  const to = heightOf(chain, blocks.to)
  if (from > head && logsClipToHead) return emptyRange
  if (from > to)
    throw invalidParams(
      `invalid block range params: fromBlock ${toQuantity(from)} is after ${toQuantity(to)}`,
    )
  if (to > head && !logsClipToHead)
    throw invalidParams(`block range extends beyond current head block ${toQuantity(head)}`)
  return { from, to: Math.min(to, head) }
}

/** Throws if one end of a range is the pending block, whose logs are not searched, as in geth. */
export const assertNotPending = ({ blocks }: Pick<LogFilter, 'blocks'>): void => {
  if (blocks.kind !== 'range') return
  const isPending = [blocks.from, blocks.to].some((end) => end.kind === 'tag' && end.tag === 'pending')
  if (isPending) throw invalidParams('pending logs are not supported')
}

/** Returns the block number of one end of a range. */
const heightOf = (chain: Chain, height: BlockNumberOrTag): number => {
  if (height.kind === 'number') return Number(height.number)
  if (height.tag === 'earliest') return chain.logs.bounds().earliest
  return chain.head().number
}

const checkLength = ({ from, to }: BlockRange, maxBlocks: number): void => {
  const length = to - from + 1
  if (maxBlocks === 0 || length <= maxBlocks) return
  const last = toQuantity(from + maxBlocks - 1)
  throw limitExceeded(
    `the range has ${length} blocks, at most ${maxBlocks} are searched (json-rpc.block-range-cap): ask up to block ${last}`,
    { setting: 'json-rpc.block-range-cap', limit: maxBlocks, toBlock: last },
  )
}

const checkLimits = ({ stop, excess }: CollectedLogs, { from }: BlockRange, limits: LogLimits): void => {
  const over = excess ?? stop
  if (over === undefined) return
  const { number, limit } = over
  const setting = settingNames[limit]
  const reason = `more than ${limits[limit]} ${limit === 'logsCap' ? 'logs' : 'bytes of logs'} match (${setting})`
  // The range up to the block before can be requested as it is; a single block cannot be split.
  const reached = excess === undefined || number > from ? number - 1 : undefined
  const how =
    reached === undefined
      ? `block ${toQuantity(number)} alone has as many: narrow the filter`
      : `complete up to block ${toQuantity(reached)}: ask for that, then go on from ${toQuantity(number)}`
  throw limitExceeded(`${reason}; ${how}`, {
    setting,
    limit: limits[limit],
    ...(reached !== undefined && { toBlock: toQuantity(reached) }),
    fromBlock: toQuantity(number),
  })
}
