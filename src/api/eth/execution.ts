import { z } from 'zod'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { AccessListOutcome, CallOutcome, CallRequest } from '../../chain/port/executor.ts'
import type { AccountOverride, BlockOverride } from '../../chain/state/overrides.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { withDefaultFees } from '../accounts/fees.ts'
import { latest, mapMaybePromise } from '../answers/lookup.ts'
import { throwFailed } from '../dev/failedCalls.ts'
import { servedMethod } from '../method.ts'
import { Block } from '../wire/block.ts'
import { BundleContextType, Bundles } from '../wire/bundles.ts'
import { addressText, Data, dataText, word32Text } from '../wire/data.ts'
import { alice, bob, contract } from '../wire/exampleValues.ts'
import { BlockOverrides, StateOverrides } from '../wire/overrides.ts'
import { Uint64, uint64Text } from '../wire/quantity.ts'
import { Transaction } from '../wire/transactionRequest.ts'

const accessListAndGas = z
  .object({
    accessList: z.array(z.object({ address: addressText, storageKeys: z.array(word32Text) })),
    gasUsed: uint64Text.describe('With the list'),
    error: z.string().optional().describe('Where the call fails'),
  })
  .meta({ id: 'AccessListResult', title: 'access list and gas' })

const AccessListResult = plainType(accessListAndGas)

const toAccessListResult = ({ accessList, gasUsed, error }: AccessListOutcome) => ({
  accessList: accessList.map(({ address, storageKeys }) => ({
    address: toHex(address),
    storageKeys: storageKeys.map(toHex),
  })),
  ...(error === undefined ? {} : { error }),
  gasUsed: toQuantity(gasUsed),
})

const called = z.union([z.object({ value: dataText }), z.object({ error: z.string() })])

/** The results of the calls, in one list for each bundle. */
const BundleResults = plainType(
  z.array(z.array(called)).meta({ id: 'BundleResults', title: 'results of bundles' }),
)

const toCallResult = (outcome: CallOutcome | string) => {
  if (typeof outcome === 'string') return { error: outcome }
  const { isSuccess, output, error } = outcome
  return isSuccess ? { value: toHex(output) } : { error: error ?? 'execution failed' }
}

const params = [
  param('transaction', Transaction, 'What to run; without `to`, the data runs as init code.'),
  optionalParam('block', Block, 'The block on whose state it runs; latest when missing.'),
  optionalParam('stateOverrides', StateOverrides, 'Accounts that differ from the state.'),
  optionalParam('blockOverrides', BlockOverrides, 'Block members that differ from the block.'),
] as const

const toCallRequest = (
  request: TransactionRequest,
  stateOverrides: readonly AccountOverride[] | undefined,
  blockOverrides?: BlockOverride | undefined,
): CallRequest => ({ request, stateOverrides, blockOverrides })

export const executionMethods = [
  servedMethod({
    name: 'eth_call',
    summary: 'Runs a call on the state of a block, without a transaction, and gives what it returns.',
    work: 'evm',
    belowFork: { kind: 'state', param: 'block' },
    params,
    result: { name: 'returned', type: Data },
    examples: [
      {
        name: 'decimals() of a token',
        params: [{ to: contract, data: '0x313ce567' }, 'latest'],
        result: '0x0000000000000000000000000000000000000000000000000000000000000012',
      },
    ],
    // The scope makes a signal only if it is asked for one: most calls end at once.
    handler: ([request, at = latest, stateOverrides, blockOverrides], context, scope) => {
      const call = toCallRequest(request, stateOverrides, blockOverrides)
      return mapMaybePromise(context.chain.executor.call(call, at, scope), (outcome) =>
        outcome.isSuccess ? outcome.output : throwFailed(context, { call, at, outcome }, scope),
      )
    },
  }),
  servedMethod({
    name: 'eth_estimateGas',
    summary: 'Finds the least gas with which a transaction succeeds.',
    work: 'evm',
    belowFork: { kind: 'state', param: 'block' },
    params,
    result: { name: 'gas', type: Uint64 },
    examples: [
      {
        name: 'a transfer',
        params: [{ from: alice, to: bob, value: '0xde0b6b3a7640000' }],
        result: '0x5208',
      },
    ],
    handler: ([request, at = latest, stateOverrides, blockOverrides], context, scope) => {
      const call = toCallRequest(request, stateOverrides, blockOverrides)
      return mapMaybePromise(context.chain.executor.estimateGas(call, at, scope), ({ gas, failure }) =>
        failure === undefined ? gas : throwFailed(context, { call, at, outcome: failure }, scope),
      )
    },
  }),
  servedMethod({
    name: 'eth_createAccessList',
    summary: 'Finds the accounts and slots that a transaction looks at, as an access list (EIP-2930).',
    work: 'evm',
    belowFork: { kind: 'state', param: 'block' },
    params: [params[0], params[1], params[2]],
    result: { name: 'accessListAndGas', type: AccessListResult },
    examples: [
      {
        name: 'balanceOf(address) of a token',
        params: [
          { from: alice, to: contract, data: `0x70a08231${'00'.repeat(12)}${alice.slice(2)}` },
          'latest',
        ],
        result: {
          accessList: [
            {
              address: contract,
              storageKeys: ['0x723077b8a1b173adc35e5f0e7e3662fd1208212cb629f9c128551ea7168da722'],
            },
          ],
          gasUsed: '0x6d1a',
        },
      },
    ],
    handler: async ([request, block = latest, stateOverrides], { chain }, { signal }) => {
      // Nobody has no funds on a chain for development, and tools ask without a sender.
      const isForFree = chain.dev !== undefined && request.from?.some((byte) => byte !== 0) !== true
      const paying = isForFree ? request : await withDefaultFees(chain, request, block)
      return toAccessListResult(
        await chain.executor.createAccessList(toCallRequest(paying, stateOverrides), block, signal),
      )
    },
  }),
  servedMethod({
    name: 'eth_callMany',
    summary: 'Runs bundles of calls one after the other, each on what those before it left behind.',
    work: 'evm',
    belowFork: { kind: 'state', param: 'context' },
    params: [
      param('bundles', Bundles, 'Each with its transactions and, at will, a block that differs.'),
      optionalParam(
        'context',
        BundleContextType,
        'The block on whose state they run, latest when missing, and the transaction in it before which they run.',
      ),
      optionalParam('stateOverrides', StateOverrides, 'Accounts that differ from the state.'),
    ],
    result: { name: 'results', type: BundleResults },
    examples: [
      {
        name: 'decimals() of a token',
        params: [[{ transactions: [{ to: contract, data: '0x313ce567' }] }], { blockNumber: 'latest' }],
        result: [[{ value: '0x0000000000000000000000000000000000000000000000000000000000000012' }]],
      },
    ],
    handler: ([bundles, context, stateOverrides], { chain: { executor } }, { signal }) =>
      mapMaybePromise(
        executor.callMany(bundles, stateOverrides, context?.block ?? latest, context?.index, signal),
        (results) => results.map((outcomes) => outcomes.map(toCallResult)),
      ),
  }),
]
