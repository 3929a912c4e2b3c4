import { toHex } from '../../base/encoding/hex.ts'
import type { LogFilter } from '../../chain/port/logFilter.ts'
import type { FilterChanges as Changes } from '../../events/filters/filterSources.ts'
import type { FilterOwner } from '../../events/filters/kinds.ts'
import { clientOf } from '../../rpc/access/access.ts'
import { invalidParams } from '../../rpc/errors.ts'
import { type CallScope, optionalParam, param } from '../../rpc/method.ts'
import type { RawJson } from '../../rpc/rawJson.ts'
import { mapMaybePromise, textAsJson } from '../answers/lookup.ts'
import { publicMethod, servedMethod } from '../method.ts'
import { Flag } from '../wire/basic.ts'
import { blockHash, contract, filterId, log, transferTopic } from '../wire/exampleValues.ts'
import { Filter } from '../wire/filter.ts'
import { Quantity } from '../wire/quantity.ts'
import { FilterChanges, Logs } from '../wire/results.ts'
import { assertNotPending, logsJson, queryLogs } from './logQuery.ts'

const filter = param('filter', Filter, 'Which blocks, contracts and topics.')
const id = param('filterId', Quantity, 'What the method that made the filter gave.')
const filterIdResult = { name: 'filterId', type: Quantity }

/**
 * Returns the owner of a filter: the connection, or the client address over HTTP, where each call may use another
 * connection.
 */
const filterOwner = ({ caller, connection }: CallScope): FilterOwner =>
  // A call that a serving process passes on has a caller of its own.
  caller.transport === 'http' ? caller.address : (connection ?? caller)

/** Throws for a range that can never contain a block. */
const checkRange = (filter: LogFilter): void => {
  assertNotPending(filter)
  const { blocks } = filter
  if (blocks.kind !== 'range' || blocks.from.kind !== 'number' || blocks.to.kind !== 'number') return
  if (blocks.from.number > blocks.to.number) throw invalidParams('invalid block range params')
}

const changesJson = (changes: Changes): RawJson =>
  changes.kind === 'hashes'
    ? textAsJson(`[${changes.hashes.map((hash) => `"${toHex(hash)}"`).join(',')}]`)
    : logsJson(changes.parts)

export const filterMethods = [
  servedMethod({
    name: 'eth_getLogs',
    summary: 'Gives the logs that match a filter, in order.',
    work: 'logs',
    belowFork: { kind: 'logs', param: 'filter' },
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
    handler: ([wanted], { chain, logSettings }, scope) => queryLogs(chain, logSettings, wanted, scope),
  }),
  publicMethod({
    name: 'eth_newFilter',
    summary: 'Makes a filter that reports new logs to polls.',
    params: [filter],
    result: filterIdResult,
    examples: [{ name: 'transfers', params: [{ topics: [transferTopic] }], result: filterId }],
    handler: ([wanted], { filters }, scope) => {
      checkRange(wanted)
      return filters.addLogs(wanted, filterOwner(scope), clientOf(scope.caller))
    },
  }),
  publicMethod({
    name: 'eth_newBlockFilter',
    summary: 'Makes a filter that reports the hashes of new blocks to polls.',
    params: [],
    result: filterIdResult,
    examples: [{ name: 'new blocks', params: [], result: filterId }],
    handler: (_, { filters }, scope) => filters.addBlocks(filterOwner(scope), clientOf(scope.caller)),
  }),
  publicMethod({
    name: 'eth_newPendingTransactionFilter',
    summary: 'Creates a filter for pending transactions: polls return their hashes, or whole transactions.',
    params: [
      optionalParam('full', Flag, 'true for whole transactions, false for their hashes; false when missing.'),
    ],
    result: filterIdResult,
    examples: [
      { name: 'hashes', params: [], result: filterId },
      { name: 'whole transactions', params: [true], result: filterId },
    ],
    handler: ([isFull], { filters }, scope) => {
      const [owner, client] = [filterOwner(scope), clientOf(scope.caller)]
      return isFull === true ? filters.addTransactions(owner, client) : filters.addPending(owner, client)
    },
  }),
  publicMethod({
    name: 'eth_getFilterChanges',
    summary: 'Gives what a filter has found since the last poll: hashes, transactions or logs.',
    work: 'state',
    workOf: ([filterId], { filters }) => (filters.searchesLogs(filterId) ? 'logs' : 'state'),
    params: [id],
    result: { name: 'changes', type: FilterChanges },
    examples: [
      { name: 'a block filter', params: [filterId], result: [blockHash] },
      { name: 'a log filter', params: [filterId], result: [log] },
    ],
    handler: ([filterId], { filters }, scope) =>
      mapMaybePromise(filters.changes(filterId, scope), changesJson),
  }),
  publicMethod({
    name: 'eth_getFilterLogs',
    summary: 'Gives all logs that match a log filter; an error for filters of other kinds.',
    work: 'logs',
    params: [id],
    result: { name: 'logs', type: Logs },
    examples: [{ name: 'transfers', params: [filterId], result: [log] }],
    handler: ([filterId], { chain, filters, logSettings }, scope) =>
      // A filter may name future blocks.
      mapMaybePromise(filters.logFilter(filterId), (filter) =>
        queryLogs(chain, { ...logSettings, logsClipToHead: true }, filter, scope),
      ),
  }),
  publicMethod({
    name: 'eth_uninstallFilter',
    summary: 'Removes a filter; false where there was none.',
    params: [id],
    result: { name: 'removed', type: Flag },
    examples: [{ name: 'removed', params: [filterId], result: true }],
    handler: ([filterId], { filters }) => filters.remove(filterId),
  }),
]
