import { toQuantity } from '../../base/encoding/hex.ts'
import type { ClientConnection } from '../../base/notification.ts'
import type { BlockNumberOrTag } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { SubscriptionRequest } from '../../events/subscriptionManager.ts'
import { clientOf } from '../../rpc/access/access.ts'
import { callFailed, invalidParams, unavailable, unsupported } from '../../rpc/errors.ts'
import { type CallScope, optionalParam, param } from '../../rpc/method.ts'
import { publicMethod } from '../method.ts'
import { Flag } from '../wire/basic.ts'
import { filterId } from '../wire/exampleValues.ts'
import { Quantity } from '../wire/quantity.ts'
import {
  parseHeadOptions,
  parseLogOptions,
  parseNoOptions,
  parsePendingOptions,
  parseReceiptOptions,
  SubscriptionKind,
  SubscriptionOptions,
  subscriptionKinds,
} from '../wire/subscription.ts'

/** Returns the connection of the call; throws over HTTP, which has none. */
const requireConnection = ({ connection }: CallScope): ClientConnection => {
  if (connection === undefined) {
    throw unsupported(
      'notifications need a connection that stays: use WebSocket (or IPC), or filters over HTTP',
    )
  }
  return connection
}

/**
 * Returns the number of the first requested block; undefined for live notifications only, which begin with the block after
 * the head. Headers are never pruned, bodies are.
 */
const resolveStartBlock = (
  chain: Chain,
  fromBlock: BlockNumberOrTag | undefined,
  needs: 'headers' | 'whole blocks',
): number | undefined => {
  if (fromBlock === undefined) return undefined
  const number = chain.blocks.resolve(fromBlock)
  const next = chain.head().number + 1
  // Who has seen all blocks asks for the next one.
  const isNext = fromBlock.kind === 'number' && fromBlock.number === BigInt(next)
  if (number === 'pending' || isNext) return undefined
  if (number === undefined) {
    throw invalidParams(
      `invalid argument 1 (options.fromBlock): expected a block up to the one after the head, ${toQuantity(next)}`,
    )
  }
  const { oldestBlock } = chain.retention()
  if (needs === 'whole blocks' && number < oldestBlock) {
    throw unavailable(`block ${number} is pruned: the earliest that is kept is ${oldestBlock}`)
  }
  return number
}

type Kind = SubscriptionRequest['kind']
type Options = Parameters<typeof parseHeadOptions>[0]

const toSubscriptionRequest = (chain: Chain, kind: Kind, options: Options): SubscriptionRequest => {
  switch (kind) {
    case 'newHeads': {
      const { includesTransactions, fromBlock } = parseHeadOptions(options)
      const from = resolveStartBlock(chain, fromBlock, includesTransactions ? 'whole blocks' : 'headers')
      return { kind, includesTransactions, from }
    }
    case 'logs': {
      const { pattern, fromBlock } = parseLogOptions(options)
      return { kind, pattern, from: resolveStartBlock(chain, fromBlock, 'whole blocks') }
    }
    case 'newPendingTransactions':
      return { kind, isWhole: parsePendingOptions(options) }
    case 'syncing':
      parseNoOptions(options)
      return { kind }
    case 'transactionReceipts':
      return { kind, hashes: parseReceiptOptions(options) }
  }
}

export const subscriptionMethods = [
  publicMethod({
    name: 'eth_subscribe',
    summary: 'Subscribes this WebSocket or IPC connection to events, and gives the id under which they come.',
    answeredBy: ([kind]) => subscriptionKinds[kind],
    params: [
      param('kind', SubscriptionKind, 'Which events.'),
      optionalParam('options', SubscriptionOptions, 'What the events hold, or which of them are wanted.'),
    ],
    result: { name: 'subscriptionId', type: Quantity },
    examples: [
      { name: 'new blocks', params: ['newHeads', { includeTransactions: true }], result: filterId },
      {
        name: 'blocks that were missed, and new ones',
        params: ['newHeads', { fromBlock: '0x1' }],
        result: filterId,
      },
      { name: 'pending transactions in full', params: ['newPendingTransactions', true], result: filterId },
    ],
    handler: ([kind, options], { chain, subscriptions }, scope) => {
      const connection = requireConnection(scope)
      const { id, activate } = subscriptions.subscribe(
        connection,
        toSubscriptionRequest(chain, kind, options),
        clientOf(scope.caller),
      )
      scope.afterResponse(activate)
      return BigInt(id)
    },
  }),
  publicMethod({
    name: 'eth_unsubscribe',
    summary: 'Ends a subscription of this connection.',
    answeredBy: 'connection',
    params: [param('subscriptionId', Quantity, 'What eth_subscribe gave.')],
    result: { name: 'ended', type: Flag },
    examples: [{ name: 'ended', params: [filterId], result: true }],
    handler: ([id], { subscriptions }, scope) => {
      if (!subscriptions.unsubscribe(requireConnection(scope), toQuantity(id)))
        throw callFailed('subscription not found')
      return true
    },
  }),
]
