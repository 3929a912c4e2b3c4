import { z } from 'zod'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { ConfinementError, readConfinedFile } from '../../base/files/confinedFile.ts'
import { callFailed, invalidParams } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { traceFailedCall, traceFailedTransaction } from '../../solidity/traceFailure.ts'
import { latest, toHashRef, toIndex } from '../answers/lookup.ts'
import { toTraceResponse } from '../answers/traceResponse.ts'
import { privateMethod, publicMethod, servedMethod } from '../method.ts'
import { Text } from '../wire/basic.ts'
import { Block, BlockNumber, BlockOrInteger } from '../wire/block.ts'
import { Data, Hash, hashText } from '../wire/data.ts'
import { alice, blockHash, bob, emptyRoot, transactionHash } from '../wire/exampleValues.ts'
import {
  BlockTraceResult,
  CallTraceConfig,
  defaultTraceConfig,
  ExecutionWitness,
  FileTraceConfig,
  TraceConfig,
  TraceResult,
} from '../wire/trace.ts'
import { Transaction } from '../wire/transactionRequest.ts'
import { tracedBy, withStackTrace } from './stackTraceMember.ts'

const config = optionalParam(
  'config',
  TraceConfig,
  'The tracer and its settings; the opcode log when missing.',
)
const fileConfig = optionalParam(
  'config',
  FileTraceConfig,
  'What the log holds; only one transaction if named.',
)
const hash = param('blockHash', Hash, 'Hash of the block.')
const traces = { name: 'traces', type: BlockTraceResult }
const files = { name: 'files', type: plainType(z.array(z.string()).describe('Paths of the files written')) }

const transferTrace = { gas: 21000, failed: false, returnValue: '0x', structLogs: [] }

/** The largest file of a block. As hex it has twice the bytes of the block. */
const maxBlockFileBytes = 64 * 1024 * 1024

/** Reads the RLP of a block from a file in the folder `traces` of the home, and from nowhere else. */
const readBlockFile = async (home: string, file: string): Promise<Uint8Array> => {
  try {
    const bytes = await readConfinedFile({ parent: home, name: 'traces', maxBytes: maxBlockFileBytes }, file)
    const text = bytes.subarray(0, 2).toString() === '0x' ? bytes.toString().trim() : undefined
    return text === undefined ? bytes : fromHex(text)
  } catch (error) {
    if (error instanceof ConfinementError) throw invalidParams(`invalid argument 0 (file): ${error.message}`)
    throw callFailed(`could not read file: ${(error as Error).message}`)
  }
}

export const traceMethods = [
  publicMethod({
    name: 'debug_traceTransaction',
    summary:
      'Replays a transaction as it ran, after those before it in its block, and gives the tracer’s output.',
    work: 'trace',
    answeredBy: ([, options]) => tracedBy(options),
    belowFork: { kind: 'transaction', param: 'transactionHash' },
    params: [param('transactionHash', Hash, 'Hash of the transaction.'), config],
    result: { name: 'trace', type: TraceResult },
    examples: [{ name: 'a transfer runs no code', params: [transactionHash], result: transferTrace }],
    handler: ([hash, options = defaultTraceConfig], context, { signal }) => {
      const trace = context.chain.traces.transaction(hash, options, signal)
      const stack = () => traceFailedTransaction(context, hash, signal)
      return toTraceResponse(withStackTrace(trace, options, stack), signal)
    },
  }),
  servedMethod({
    name: 'debug_traceBlockByNumber',
    summary: 'Replays the block at a height and gives the tracer’s output for each transaction.',
    work: 'trace',
    belowFork: { kind: 'block', param: 'block' },
    params: [param('block', BlockNumber, 'Height or tag of the block.'), config],
    result: traces,
    examples: [
      { name: 'one transfer', params: ['0x1'], result: [{ txHash: transactionHash, result: transferTrace }] },
    ],
    handler: ([block, options], { chain }, { signal }) =>
      toTraceResponse(chain.traces.block(block, options ?? defaultTraceConfig, signal), signal),
  }),
  servedMethod({
    name: 'debug_traceBlockByHash',
    summary: 'Replays the block with a hash and gives the tracer’s output for each transaction.',
    work: 'trace',
    belowFork: { kind: 'block', param: 'blockHash' },
    params: [hash, config],
    result: traces,
    examples: [
      {
        name: 'one transfer',
        params: [blockHash],
        result: [{ txHash: transactionHash, result: transferTrace }],
      },
    ],
    handler: ([hash, options], { chain }, { signal }) =>
      toTraceResponse(chain.traces.block(toHashRef(hash), options ?? defaultTraceConfig, signal), signal),
  }),
  servedMethod({
    name: 'debug_traceBlock',
    summary:
      'Runs a block given as RLP on its parent’s state and gives the tracer’s output for each transaction.',
    work: 'trace',
    params: [param('rlp', Data, 'The block in RLP.'), config],
    result: traces,
    examples: [],
    handler: ([rlp, options], { chain }, { signal }) =>
      toTraceResponse(chain.traces.encodedBlock(rlp, options ?? defaultTraceConfig, signal), signal),
  }),
  privateMethod({
    name: 'debug_traceBlockFromFile',
    summary: 'Traces a block read from a file that holds its RLP.',
    work: 'trace',
    params: [param('file', Text, 'The file, under traces in the home folder.'), config],
    result: traces,
    examples: [],
    handler: async ([file, options], { chain, home }, { signal }) => {
      const rlp = await readBlockFile(home, file)
      return toTraceResponse(chain.traces.encodedBlock(rlp, options ?? defaultTraceConfig, signal), signal)
    },
  }),
  privateMethod({
    name: 'debug_standardTraceBlockToFile',
    summary: 'Traces a block into files in the standard line format, one file for each transaction.',
    work: 'trace',
    params: [hash, fileConfig],
    result: files,
    examples: [],
    handler: async ([hash, given], { chain }, { signal }) => {
      const { options, only } = given ?? { options: defaultTraceConfig, only: undefined }
      return [...(await chain.traces.blockToFiles(toHashRef(hash), only, options, signal))]
    },
  }),
  privateMethod({
    name: 'debug_standardTraceBadBlockToFile',
    summary: 'Traces a rejected block into files; this node keeps none.',
    params: [hash, fileConfig],
    result: files,
    examples: [],
    handler: () => {
      throw callFailed('bad block not found')
    },
  }),
  publicMethod({
    name: 'debug_traceCall',
    summary: 'Runs a call on the state of a block, without a transaction, and gives the tracer’s output.',
    work: 'trace',
    answeredBy: ([, , config]) => tracedBy(config?.options),
    belowFork: { kind: 'state', param: 'block' },
    params: [
      param('transaction', Transaction, 'What to run.'),
      optionalParam('block', Block, 'The block on whose state it runs; latest when missing.'),
      optionalParam('config', CallTraceConfig, 'The tracer and its settings, and what the call sees.'),
    ],
    result: { name: 'trace', type: TraceResult },
    examples: [
      {
        name: 'a transfer runs no code',
        params: [{ from: alice, to: bob, value: '0x1' }, 'latest'],
        result: transferTrace,
      },
    ],
    handler: ([request, block = latest, given], context, { signal }) => {
      const { options = defaultTraceConfig, stateOverrides, blockOverrides, transactionIndex } = given ?? {}
      const index = transactionIndex === undefined ? undefined : toIndex(transactionIndex)
      const call = { request, stateOverrides, blockOverrides, transactionIndex: index }
      const trace = context.chain.traces.call(call, block, options, signal)
      const stack = () => traceFailedCall(context, call, block, signal)
      return toTraceResponse(withStackTrace(trace, options, stack), signal)
    },
  }),
  publicMethod({
    name: 'debug_executionWitness',
    summary:
      'Gives what the execution of a block reads: trie nodes, code, keys and headers, with which somebody without the state executes it again.',
    work: 'trace',
    belowFork: { kind: 'refused', needs: 'root' },
    params: [param('block', BlockOrInteger, 'The block.')],
    result: { name: 'witness', type: ExecutionWitness },
    examples: [
      {
        name: 'an empty block',
        params: ['latest'],
        result: { state: ['0x80'], codes: ['0x5f5ff3'], keys: [alice], headers: ['0xc0'] },
      },
    ],
    handler: ([block], { chain }, { signal }) => toTraceResponse(chain.traces.witness(block, signal), signal),
  }),
  publicMethod({
    name: 'debug_intermediateRoots',
    summary: 'Gives the state root after each transaction of a block.',
    work: 'trace',
    params: [hash, config],
    result: { name: 'roots', type: plainType(z.array(hashText).describe('One root for each transaction')) },
    examples: [{ name: 'one transaction', params: [blockHash], result: [emptyRoot] }],
    handler: async ([hash], { chain }, { signal }) =>
      (await chain.traces.intermediateRoots(toHashRef(hash), signal)).map(toHex),
  }),
]
