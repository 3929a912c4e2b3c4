import { toQuantity } from '../../base/encoding/hex.ts'
import type { MaybePromise } from '../../base/maybePromise.ts'
import type { LogFilter } from '../../chain/block/logFilter.ts'
import type { BlockNumberOrTag } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { LogPattern } from '../../chain/port/logs.ts'
import {
  type CollectedLogs,
  collectLogs,
  type LogLimits,
  type SearchScope,
} from '../../events/filters/collectLogs.ts'
import { createLogMatcher } from '../../events/filters/removedLogs.ts'
import { callFailed, invalidParams, limitExceeded } from '../../rpc/errors.ts'
import { RawJson } from '../../rpc/rawJson.ts'
import { mapMaybePromise, toHashRef } from '../lookup.ts'

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
  /** Whether the pending block is included. */
  readonly includesPending: boolean
}

const emptyRange: BlockRange = { from: 1, to: 0, includesPending: false }

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
  const found = chain.logs.search(filter, range.from, range.to)
  return mapMaybePromise(collectLogs(found, settings, scope), (collected) => {
    checkLimits(collected, range, settings)
    return range.includesPending ? withPending(chain, settings, filter, collected) : logsJson(collected.parts)
  }) as MaybePromise<RawJson>
}

const open = Buffer.from('[')
const comma = Buffer.from(',')
const close = Buffer.from(']')

/** Returns a JSON array of logs from parts that are joined by commas. */
export const logsJson = (parts: readonly Uint8Array[]): RawJson =>
  new RawJson([open, ...parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part])), close])

export const resolveLogRange = (
  chain: Chain,
  { logsClipToHead }: LogSettings,
  { blocks }: LogFilter,
): BlockRange => {
  if (blocks.kind === 'hash') {
    const number = chain.blocks.resolve(toHashRef(blocks.hash))
    if (typeof number !== 'number') throw callFailed('unknown block')
    return { from: number, to: number, includesPending: false }
  }
  const head = chain.head().number
  const isPending = blocks.to.kind === 'tag' && blocks.to.tag === 'pending'
  const from = heightOf(chain, blocks.from)
  const to = heightOf(chain, blocks.to)
  if (from > head && logsClipToHead && !isPending) return emptyRange
  if (from > to)
    throw invalidParams(
      `invalid block range params: fromBlock ${toQuantity(from)} is after ${toQuantity(to)}`,
    )
  if (to > head && !isPending && !logsClipToHead)
    throw invalidParams(`block range extends beyond current head block ${toQuantity(head)}`)
  return { from, to: Math.min(to, head), includesPending: isPending }
}

/** Returns the block number of one end of a range. The pending block counts as the one after the head. */
const heightOf = (chain: Chain, height: BlockNumberOrTag): number => {
  if (height.kind === 'number') return Number(height.number)
  if (height.tag === 'earliest') return chain.retention().oldestBlock
  return chain.head().number + (height.tag === 'pending' ? 1 : 0)
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

interface PendingReceipt {
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[]
}

/** Returns the collected logs and those of the pending block, which have no block hash. */
const withPending = async (
  { blocks }: Chain,
  limits: LogSettings,
  pattern: LogPattern,
  { parts, count }: CollectedLogs,
): Promise<RawJson> => {
  const pending = await blocks.pending()
  const receipts = JSON.parse(Buffer.from(pending.receiptsJson()).toString()) as PendingReceipt[] // the encoding of receipts
  const isMatch = createLogMatcher(pattern)
  const logs = receipts
    .flatMap((receipt) => receipt.logs.filter(isMatch))
    .map((log) => Buffer.from(JSON.stringify({ ...log, blockHash: null })))
  if (limits.logsCap > 0 && count + logs.length > limits.logsCap) {
    throw limitExceeded(
      `more than ${limits.logsCap} logs match (${settingNames.logsCap}); complete up to the pending block`,
      { setting: settingNames.logsCap, limit: limits.logsCap },
    )
  }
  return logsJson([...parts, ...logs])
}
