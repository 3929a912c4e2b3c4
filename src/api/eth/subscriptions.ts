import { toQuantity } from '../../base/hex.ts'
import type { Outlet } from '../../base/notice.ts'
import type { BlockHeight } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { Wish } from '../../events/subscriptions.ts'
import { failed, invalidParams, unavailable, unsupported } from '../../rpc/errors.ts'
import { type CallScope, optionalParam, param } from '../../rpc/method.ts'
import { method } from '../method.ts'
import { filterId } from '../samples.ts'
import { Flag } from '../wire/basic.ts'
import { Quantity } from '../wire/quantity.ts'
import {
  readHeadOptions,
  readLogOptions,
  readNoOptions,
  readPendingOptions,
  readReceiptOptions,
  SubscriptionKind,
  SubscriptionOptions,
} from '../wire/subscription.ts'

/** The connection that the call came on, which must be one that stays. */
const outletOf = ({ outlet }: CallScope): Outlet => {
  if (outlet === undefined) {
    throw unsupported(
      'notifications need a connection that stays: use WebSocket (or IPC), or filters over HTTP',
    )
  }
  return outlet
}

/** The first block that is wanted; undefined: whatever comes next. Headers are always kept, the rest of a block is not. */
const startOf = (
  chain: Chain,
  fromBlock: BlockHeight | undefined,
  needs: 'headers' | 'whole blocks',
): number | undefined => {
  if (fromBlock === undefined) return undefined
  const number = chain.blocks.resolve(fromBlock)
  if (number === 'pending') return undefined
  if (number === undefined) {
    throw invalidParams(
      `invalid argument 1 (options.fromBlock): expected a block up to the head, ${toQuantity(chain.head().number)}`,
    )
  }
  const { oldestBlock } = chain.retention()
  if (needs === 'whole blocks' && number < oldestBlock) {
    throw unavailable(`block ${number} is pruned: the earliest that is kept is ${oldestBlock}`)
  }
  return number
}

type Kind = Wish['kind']
type Options = Parameters<typeof readHeadOptions>[0]

const wishOf = (chain: Chain, kind: Kind, options: Options): Wish => {
  switch (kind) {
    case 'newHeads': {
      const { includesTransactions, fromBlock } = readHeadOptions(options)
      const from = startOf(chain, fromBlock, includesTransactions ? 'whole blocks' : 'headers')
      return { kind, includesTransactions, from }
    }
    case 'logs': {
      const { pattern, fromBlock } = readLogOptions(options)
      return { kind, pattern, from: startOf(chain, fromBlock, 'whole blocks') }
    }
    case 'newPendingTransactions':
      return { kind, isWhole: readPendingOptions(options) }
    case 'syncing':
      readNoOptions(options)
      return { kind }
    case 'transactionReceipts':
      return { kind, hashes: readReceiptOptions(options) }
  }
}

export const subscriptionMethods = [
  method({
    name: 'eth_subscribe',
    summary: 'Subscribes this WebSocket or IPC connection to events, and gives the id under which they come.',
    access: 'public',
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
      const outlet = outletOf(scope)
      const { id, activate } = subscriptions.subscribe(outlet, wishOf(chain, kind, options))
      scope.afterAnswer(activate)
      return BigInt(id)
    },
  }),
  method({
    name: 'eth_unsubscribe',
    summary: 'Ends a subscription of this connection.',
    access: 'public',
    params: [param('subscriptionId', Quantity, 'What eth_subscribe gave.')],
    result: { name: 'ended', type: Flag },
    examples: [{ name: 'ended', params: [filterId], result: true }],
    handler: ([id], { subscriptions }, scope) => {
      if (!subscriptions.unsubscribe(outletOf(scope), toQuantity(id))) throw failed('subscription not found')
      return true
    },
  }),
]
