import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { StreamedJson } from '../../chain/port/traces.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { latest, textAsJson } from '../answers/lookup.ts'
import { toTraceResponse } from '../answers/traceResponse.ts'
import { publicMethod, servedMethod } from '../method.ts'
import { Block } from '../wire/block.ts'
import { Data, Hash } from '../wire/data.ts'
import { alice, blockHash, bob, rawTransaction, transactionHash } from '../wire/exampleValues.ts'
import { BlockOverrides, StateOverrides } from '../wire/overrides.ts'
import {
  FullTrace,
  FullTraces,
  KindedCalls,
  LocalizedTraceOrNull,
  LocalizedTraces,
  LocalizedTracesOrNull,
  TraceFilterType,
  TraceKinds,
  TracePositions,
} from '../wire/parity.ts'
import { Transaction } from '../wire/transactionRequest.ts'
import { filterTraces } from './filter.ts'
import {
  blockKindTraces,
  blockTraces,
  kindTraces,
  localizedTraces,
  toKindConfig,
  traceAt,
} from './options.ts'
import { toSignedRequest } from './signedRequest.ts'

const hash = param('transactionHash', Hash, 'Hash of the transaction.')
const kinds = param('kinds', TraceKinds, 'What to answer with: trace, stateDiff, vmTrace.')
const block = param('block', Block, 'Height, tag or hash of the block.')
const at = optionalParam('block', Block, 'The block on whose state it runs; latest when missing.')

const transferTrace = {
  action: {
    callType: 'call',
    from: alice,
    gas: '0x0',
    input: '0x',
    to: bob,
    value: '0xde0b6b3a7640000',
  },
  result: { gasUsed: '0x0', output: '0x' },
  subtraces: 0,
  traceAddress: [],
  type: 'call',
}
const localizedTransfer = {
  ...transferTrace,
  blockHash,
  blockNumber: 1,
  transactionHash,
  transactionPosition: 0,
}
const fullTransfer = { output: '0x', stateDiff: null, trace: [transferTrace], vmTrace: null }

/** Returns whether a transaction is in a block, without which there is nothing to trace. */
const isInBlock = ({ blocks }: Chain, transaction: Uint8Array): boolean =>
  blocks.locate(transaction) !== undefined

const isGenesis = ({ blocks }: Chain, ref: BlockRef): boolean => blocks.resolve(ref) === 0

/** Returns the single element of a list of at most one, or null. */
const unwrapElement = async (trace: Promise<StreamedJson>, signal: AbortSignal) => {
  const response = await toTraceResponse(trace, signal)
  const bytes = Buffer.concat('collect' in response ? await response.collect() : response.parts)
  return bytes.length <= 2 ? textAsJson('null') : textAsJson(bytes.subarray(1, -1).toString())
}

export const parityMethods = [
  servedMethod({
    name: 'trace_transaction',
    summary: 'Lists the calls, creations and destructions of a transaction; null where it is unknown.',
    work: 'trace',
    belowFork: { kind: 'transaction', param: 'transactionHash' },
    params: [hash],
    result: { name: 'traces', type: LocalizedTracesOrNull },
    examples: [{ name: 'a transfer', params: [transactionHash], result: [localizedTransfer] }],
    handler: ([wanted], { chain }, { signal }) =>
      isInBlock(chain, wanted)
        ? toTraceResponse(chain.traces.transaction(wanted, localizedTraces, signal), signal)
        : null,
  }),
  servedMethod({
    name: 'trace_get',
    summary: 'Gives the trace at a position of a transaction’s list; null where there is none.',
    work: 'trace',
    belowFork: { kind: 'transaction', param: 'transactionHash' },
    params: [hash, param('positions', TracePositions, 'The position; of several there is no trace.')],
    result: { name: 'trace', type: LocalizedTraceOrNull },
    examples: [{ name: 'the outermost', params: [transactionHash, ['0x0']], result: localizedTransfer }],
    handler: ([wanted, positions], { chain }, { signal }) => {
      const [position] = positions
      if (position === undefined || positions.length > 1 || !isInBlock(chain, wanted)) return null
      return unwrapElement(chain.traces.transaction(wanted, traceAt(position), signal), signal)
    },
  }),
  servedMethod({
    name: 'trace_block',
    summary: 'Lists the calls, creations, destructions and rewards of a block.',
    work: 'trace',
    belowFork: { kind: 'block', param: 'block' },
    params: [block],
    result: { name: 'traces', type: LocalizedTraces },
    examples: [{ name: 'one transfer', params: ['0x1'], result: [localizedTransfer] }],
    handler: ([ref], { chain }, { signal }) =>
      isGenesis(chain, ref) ? [] : toTraceResponse(chain.traces.block(ref, blockTraces, signal), signal),
  }),
  publicMethod({
    name: 'trace_filter',
    summary: 'Lists the traces of a range of blocks whose sender or recipient is one of these addresses.',
    work: 'trace',
    params: [param('filter', TraceFilterType, 'The range, the addresses, and how many of the matches.')],
    result: { name: 'traces', type: LocalizedTraces },
    examples: [
      {
        name: 'what was sent by one account',
        params: [{ fromBlock: '0x1', toBlock: '0x1', fromAddress: [alice] }],
        result: [localizedTransfer],
      },
    ],
    handler: ([wanted], { chain, logSettings }, scope) => filterTraces(chain, logSettings, wanted, scope),
  }),
  servedMethod({
    name: 'trace_replayTransaction',
    summary: 'Replays a transaction and gives its calls, changes of the state and instructions.',
    work: 'trace',
    belowFork: { kind: 'transaction', param: 'transactionHash' },
    params: [hash, kinds],
    result: { name: 'traces', type: FullTrace },
    examples: [{ name: 'a transfer', params: [transactionHash, ['trace']], result: fullTransfer }],
    handler: ([wanted, which], { chain }, { signal }) =>
      toTraceResponse(chain.traces.transaction(wanted, kindTraces(which), signal), signal),
  }),
  servedMethod({
    name: 'trace_replayBlockTransactions',
    summary:
      'Replays a block and gives of each transaction its calls, changes of the state and instructions.',
    work: 'trace',
    belowFork: { kind: 'block', param: 'block' },
    params: [block, kinds],
    result: { name: 'traces', type: FullTraces },
    examples: [
      {
        name: 'one transfer',
        params: ['0x1', ['trace']],
        result: [{ ...fullTransfer, transactionHash }],
      },
    ],
    handler: ([ref, which], { chain }, { signal }) =>
      isGenesis(chain, ref)
        ? []
        : toTraceResponse(chain.traces.block(ref, blockKindTraces(which), signal), signal),
  }),
  servedMethod({
    name: 'trace_call',
    summary: 'Runs a call and gives its calls, changes of the state and instructions.',
    work: 'trace',
    belowFork: { kind: 'state', param: 'block' },
    params: [
      param('transaction', Transaction, 'What to run.'),
      kinds,
      at,
      optionalParam('stateOverrides', StateOverrides, 'Accounts as they are to be during the call.'),
      optionalParam('blockOverrides', BlockOverrides, 'Values of the block as they are to be.'),
    ],
    result: { name: 'traces', type: FullTrace },
    examples: [
      {
        name: 'a transfer',
        params: [{ from: alice, to: bob, value: '0xde0b6b3a7640000', gas: '0x5208' }, ['trace'], 'latest'],
        result: fullTransfer,
      },
    ],
    handler: ([request, which, ref, stateOverrides, blockOverrides], { chain }, { signal }) =>
      toTraceResponse(
        chain.traces.call(
          { request, stateOverrides, blockOverrides },
          ref ?? latest,
          kindTraces(which),
          signal,
        ),
        signal,
      ),
  }),
  servedMethod({
    name: 'trace_callMany',
    summary:
      'Runs calls one after the other, each on the state after the one before, and gives the traces of all.',
    work: 'trace',
    belowFork: { kind: 'state', param: 'block' },
    params: [param('calls', KindedCalls, 'Pairs of a call and of the kinds of its traces.'), at],
    result: { name: 'traces', type: FullTraces },
    examples: [
      {
        name: 'one transfer',
        params: [
          [[{ from: alice, to: bob, value: '0xde0b6b3a7640000', gas: '0x5208' }, ['trace']]],
          'latest',
        ],
        result: [fullTransfer],
      },
    ],
    handler: ([[first, ...others], ref], { chain }, { signal }) => {
      if (first === undefined) return []
      const following = others.map(({ request, kinds: which }) => ({
        request,
        tracerConfig: toKindConfig(which),
      }))
      const call = { request: first.request, following }
      return toTraceResponse(chain.traces.call(call, ref ?? latest, kindTraces(first.kinds), signal), signal)
    },
  }),
  servedMethod({
    name: 'trace_rawTransaction',
    summary: 'Runs a signed transaction without sending it and gives its traces.',
    work: 'trace',
    belowFork: { kind: 'state', param: 'block' },
    params: [param('transaction', Data, 'The signed transaction, encoded as EIP-2718 says.'), kinds, at],
    result: { name: 'traces', type: FullTrace },
    examples: [{ name: 'a transfer', params: [rawTransaction, ['trace']], result: fullTransfer }],
    handler: ([raw, which, ref], { chain }, { signal }) => {
      const request = toSignedRequest(raw, chain)
      return toTraceResponse(chain.traces.call({ request }, ref ?? latest, kindTraces(which), signal), signal)
    },
  }),
]
