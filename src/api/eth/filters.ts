import { toHex } from '../../base/hex.ts'
import type { LogFilter } from '../../chain/block/logFilter.ts'
import type { FilterChanges as Changes, FilterOwner } from '../../events/filters/filters.ts'
import { invalidParams } from '../../rpc/errors.ts'
import type { RawJson } from '../../rpc/json.ts'
import { type CallScope, param } from '../../rpc/method.ts'
import { andThen, textAsJson } from '../lookup.ts'
import { method } from '../method.ts'
import { blockHash, contract, filterId, log, transferTopic } from '../samples.ts'
import { Flag } from '../wire/basic.ts'
import { Filter } from '../wire/filter.ts'
import { Quantity } from '../wire/quantity.ts'
import { FilterChanges, Logs } from '../wire/results.ts'
import { logsJson, queryLogs } from './logQuery.ts'

const filter = param('filter', Filter, 'Which blocks, contracts and topics.')
const id = param('filterId', Quantity, 'What the method that made the filter gave.')
const madeFilter = { name: 'filterId', type: Quantity }

/** Filters are counted by connection; over HTTP, where each call may come on another one, by address. */
const ownerOf = ({ caller }: CallScope): FilterOwner =>
  caller.transport === 'http' ? caller.address : caller

/** A range that can never hold a block, whatever comes. */
const checkRange = ({ blocks }: LogFilter): void => {
  if (blocks.kind !== 'range' || blocks.from.kind !== 'number' || blocks.to.kind !== 'number') return
  if (blocks.from.number > blocks.to.number) throw invalidParams('invalid block range params')
}

const changesJson = (changes: Changes): RawJson =>
  changes.kind === 'logs'
    ? logsJson(changes.parts)
    : textAsJson(`[${changes.hashes.map((hash) => `"${toHex(hash)}"`).join(',')}]`)

export const filterMethods = [
  method({
    name: 'eth_getLogs',
    summary: 'Gives the logs that match a filter, in order.',
    access: 'public',
    params: [filter],
    result: { name: 'logs', type: Logs },
    examples: [
      {
        name: 'transfers of a token',
        params: [{ fromBlock: '0x1', toBlock: 'latest', address: contract, topics: [transferTopic] }],
        result: [log],
      },
      { name: 'of one block', params: [{ blockHash }], result: [log] },
    ],
    handler: ([wanted], { chain, logSettings }, scope) =>
      queryLogs(chain, logSettings, wanted, () => scope.signal),
  }),
  method({
    name: 'eth_newFilter',
    summary: 'Makes a filter that reports new logs to polls.',
    access: 'public',
    params: [filter],
    result: madeFilter,
    examples: [{ name: 'transfers', params: [{ topics: [transferTopic] }], result: filterId }],
    handler: ([wanted], { filters }, scope) => {
      checkRange(wanted)
      return filters.addLogs(wanted, ownerOf(scope))
    },
  }),
  method({
    name: 'eth_newBlockFilter',
    summary: 'Makes a filter that reports the hashes of new blocks to polls.',
    access: 'public',
    params: [],
    result: madeFilter,
    examples: [{ name: 'new blocks', params: [], result: filterId }],
    handler: (_, { filters }, scope) => filters.addBlocks(ownerOf(scope)),
  }),
  method({
    name: 'eth_newPendingTransactionFilter',
    summary: 'Makes a filter that reports the hashes of transactions that the pool took to polls.',
    access: 'public',
    params: [],
    result: madeFilter,
    examples: [{ name: 'pending transactions', params: [], result: filterId }],
    handler: (_, { filters }, scope) => filters.addPending(ownerOf(scope)),
  }),
  method({
    name: 'eth_getFilterChanges',
    summary: 'Gives what a filter has found since the last poll: hashes or logs.',
    access: 'public',
    params: [id],
    result: { name: 'changes', type: FilterChanges },
    examples: [
      { name: 'a block filter', params: [filterId], result: [blockHash] },
      { name: 'a log filter', params: [filterId], result: [log] },
    ],
    handler: ([filterId], { filters }, scope) =>
      andThen(
        filters.changes(filterId, () => scope.signal),
        changesJson,
      ),
  }),
  method({
    name: 'eth_getFilterLogs',
    summary: 'Gives all logs that match a log filter; an error for filters of other kinds.',
    access: 'public',
    params: [id],
    result: { name: 'logs', type: Logs },
    examples: [{ name: 'transfers', params: [filterId], result: [log] }],
    handler: ([filterId], { chain, filters, logSettings }, scope) =>
      // A filter may name blocks that are still to come.
      queryLogs(
        chain,
        { ...logSettings, logsClipToHead: true },
        filters.logFilter(filterId),
        () => scope.signal,
      ),
  }),
  method({
    name: 'eth_uninstallFilter',
    summary: 'Removes a filter; false where there was none.',
    access: 'public',
    params: [id],
    result: { name: 'removed', type: Flag },
    examples: [{ name: 'removed', params: [filterId], result: true }],
    handler: ([filterId], { filters }) => filters.remove(filterId),
  }),
]
