import { z } from 'zod'
import { toQuantity } from '../../base/encoding/hex.ts'
import type { BlockNumberOrTag } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { callFailed, unsupported } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { publicMethod } from '../method.ts'
import { Flag } from '../wire/basic.ts'
import { BlockNumber } from '../wire/block.ts'
import { filterId } from '../wire/exampleValues.ts'
import { Quantity } from '../wire/quantity.ts'
import { defaultTraceConfig, TraceConfig } from '../wire/trace.ts'

const Kind = plainType(z.literal('traceChain', { error: 'expected "traceChain"' }))

const connectionRequiredError = () =>
  unsupported('notifications need a connection that stays: use WebSocket (or IPC), or trace block by block')

const heightOf = ({ blocks }: Chain, at: BlockNumberOrTag): number => {
  const number = blocks.resolve(at)
  if (typeof number === 'number') return number
  throw callFailed(`block ${at.kind === 'number' ? `#${at.number}` : at.tag} not found`)
}

export const traceChainMethods = [
  publicMethod({
    name: 'debug_subscribe',
    summary: 'Traces the blocks after one up to another; each comes as a notification, debug_subscription.',
    work: 'trace',
    params: [
      param('kind', Kind, 'What to do: traceChain.'),
      param('start', BlockNumber, 'The block before the first that is traced.'),
      param('end', BlockNumber, 'The last block that is traced.'),
      optionalParam('config', TraceConfig, 'The tracer and its settings; the opcode log when missing.'),
    ],
    result: { name: 'subscriptionId', type: Quantity },
    examples: [
      {
        name: 'ten blocks',
        params: ['traceChain', '0x0', '0xa', { tracer: 'callTracer' }],
        result: filterId,
      },
    ],
    handler: ([, start, end, options], { chain, chainTraceSubscriptions }, scope) => {
      const [from, to] = [heightOf(chain, start), heightOf(chain, end)]
      if (from >= to) throw callFailed(`end block (#${to}) needs to come after start block (#${from})`)
      if (scope.connection === undefined) throw connectionRequiredError()
      const request = { from, to, options: options ?? defaultTraceConfig }
      const { id, activate } = chainTraceSubscriptions.subscribe(scope.connection, request)
      scope.afterResponse(activate)
      return BigInt(id)
    },
  }),
  publicMethod({
    name: 'debug_unsubscribe',
    summary: 'Ends a subscription that debug_subscribe began on this connection.',
    params: [param('subscriptionId', Quantity, 'What debug_subscribe gave.')],
    result: { name: 'ended', type: Flag },
    examples: [{ name: 'ended', params: [filterId], result: true }],
    handler: ([id], { chainTraceSubscriptions }, { connection }) => {
      if (connection === undefined) throw connectionRequiredError()
      if (!chainTraceSubscriptions.unsubscribe(connection, toQuantity(id)))
        throw callFailed('subscription not found')
      return true
    },
  }),
]
