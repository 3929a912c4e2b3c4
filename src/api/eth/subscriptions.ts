import { z } from 'zod'
import { optionalParam, param } from '../../rpc/method.ts'
import { plain } from '../../rpc/wire.ts'
import { method } from '../method.ts'
import { filterId } from '../samples.ts'
import { notYet } from '../unsupported.ts'
import { Flag } from '../wire/basic.ts'
import { Quantity } from '../wire/quantity.ts'

const kinds = ['newHeads', 'logs', 'newPendingTransactions', 'syncing', 'transactionReceipts'] as const

const SubscriptionKind = plain(z.enum(kinds, { error: `expected one of ${kinds.join(', ')}` }))

/** What it may hold depends on the kind, which is checked where the subscription is made. */
const SubscriptionOptions = plain(
  z
    .union([z.boolean(), z.record(z.string(), z.unknown())], { error: 'expected an object or a boolean' })
    .describe(
      'newHeads: {includeTransactions}; logs: a filter; newPendingTransactions: true for whole transactions; ' +
        'transactionReceipts: {transactionHashes}',
    ),
)

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
      { name: 'pending transactions in full', params: ['newPendingTransactions', true], result: filterId },
    ],
    handler: notYet,
  }),
  method({
    name: 'eth_unsubscribe',
    summary: 'Ends a subscription of this connection.',
    access: 'public',
    params: [param('subscriptionId', Quantity, 'What eth_subscribe gave.')],
    result: { name: 'ended', type: Flag },
    examples: [{ name: 'ended', params: [filterId], result: true }],
    handler: notYet,
  }),
]
