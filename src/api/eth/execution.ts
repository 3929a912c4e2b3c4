import type { CallOutcome, CallRequest } from '../../chain/port/executor.ts'
import type { AccountOverride, BlockOverride } from '../../chain/state/overrides.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { estimateGas, toFailureError } from '../accounts/estimateGas.ts'
import { withDefaultFees } from '../accounts/fees.ts'
import { latest, mapMaybePromise } from '../answers/lookup.ts'
import { method } from '../method.ts'
import { Block } from '../wire/block.ts'
import { BundleContextType, Bundles } from '../wire/bundles.ts'
import { AccessListResult, BundleResults, toAccessListResult, toCallResult } from '../wire/callResults.ts'
import { Data } from '../wire/data.ts'
import { alice, bob, contract } from '../wire/exampleValues.ts'
import { BlockOverrides, StateOverrides } from '../wire/overrides.ts'
import { Uint64 } from '../wire/quantity.ts'
import { Transaction } from '../wire/transactionRequest.ts'

const params = [
  param('transaction', Transaction, 'What to run; without `to`, the data runs as init code.'),
  optionalParam('block', Block, 'The block on whose state it runs; latest when missing.'),
  optionalParam('stateOverrides', StateOverrides, 'Accounts that differ from the state.'),
  optionalParam('blockOverrides', BlockOverrides, 'Block members that differ from the block.'),
] as const

const requireSuccess = (outcome: CallOutcome): Uint8Array => {
  if (outcome.isSuccess) return outcome.output
  throw toFailureError(outcome)
}

const toCallRequest = (
  request: TransactionRequest,
  stateOverrides: readonly AccountOverride[] | undefined,
  blockOverrides?: BlockOverride | undefined,
): CallRequest => ({ request, stateOverrides, blockOverrides })

export const executionMethods = [
  method({
    name: 'eth_call',
    summary: 'Runs a call on the state of a block, without a transaction, and gives what it returns.',
    access: 'public',
    work: 'evm',
    answeredBy: 'serving',
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
    handler: ([request, block, stateOverrides, blockOverrides], { chain }, scope) =>
      mapMaybePromise(
        chain.executor.call(toCallRequest(request, stateOverrides, blockOverrides), block ?? latest, scope),
        requireSuccess,
      ),
  }),
  method({
    name: 'eth_estimateGas',
    summary: 'Finds the least gas with which a transaction succeeds.',
    access: 'public',
    work: 'evm',
    answeredBy: 'serving',
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
    handler: ([request, block, stateOverrides, blockOverrides], { chain }, scope) =>
      estimateGas(chain, toCallRequest(request, stateOverrides, blockOverrides), block ?? latest, scope),
  }),
  method({
    name: 'eth_createAccessList',
    summary: 'Finds the accounts and slots that a transaction looks at, as an access list (EIP-2930).',
    access: 'public',
    work: 'evm',
    answeredBy: 'serving',
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
      const paying = await withDefaultFees(chain, request, block)
      return toAccessListResult(
        await chain.executor.createAccessList(toCallRequest(paying, stateOverrides), block, signal),
      )
    },
  }),
  method({
    name: 'eth_callMany',
    summary: 'Runs bundles of calls one after the other, each on what those before it left behind.',
    access: 'public',
    work: 'evm',
    answeredBy: 'serving',
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
