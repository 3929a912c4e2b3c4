import { z } from 'zod'
import { optionalParam, param } from '../../rpc/method.ts'
import { plain } from '../../rpc/wire.ts'
import { method } from '../method.ts'
import { blockHash, transactionHash } from '../samples.ts'
import { notYet } from '../unsupported.ts'
import { Text } from '../wire/basic.ts'
import { BlockNumber } from '../wire/block.ts'
import { Data, Hash } from '../wire/data.ts'
import { BlockTraceResult, FileTraceConfig, TraceConfig, TraceResult } from '../wire/trace.ts'

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
const files = { name: 'files', type: plain(z.array(z.string()).describe('Paths of the files written')) }

const ofTransfer = { gas: 21000, failed: false, returnValue: '0x', structLogs: [] }

export const traceMethods = [
  method({
    name: 'debug_traceTransaction',
    summary:
      'Replays a transaction as it ran, after those before it in its block, and gives the tracer’s output.',
    access: 'public',
    params: [param('transactionHash', Hash, 'Hash of the transaction.'), config],
    result: { name: 'trace', type: TraceResult },
    examples: [{ name: 'a transfer runs no code', params: [transactionHash], result: ofTransfer }],
    handler: notYet,
  }),
  method({
    name: 'debug_traceBlockByNumber',
    summary: 'Replays the block at a height and gives the tracer’s output for each transaction.',
    access: 'public',
    params: [param('block', BlockNumber, 'Height or tag of the block.'), config],
    result: traces,
    examples: [
      { name: 'one transfer', params: ['0x1'], result: [{ txHash: transactionHash, result: ofTransfer }] },
    ],
    handler: notYet,
  }),
  method({
    name: 'debug_traceBlockByHash',
    summary: 'Replays the block with a hash and gives the tracer’s output for each transaction.',
    access: 'public',
    params: [hash, config],
    result: traces,
    examples: [
      {
        name: 'one transfer',
        params: [blockHash],
        result: [{ txHash: transactionHash, result: ofTransfer }],
      },
    ],
    handler: notYet,
  }),
  method({
    name: 'debug_traceBlock',
    summary:
      'Runs a block given as RLP on its parent’s state and gives the tracer’s output for each transaction.',
    access: 'public',
    params: [param('rlp', Data, 'The block in RLP.'), config],
    result: traces,
    examples: [],
    handler: notYet,
  }),
  method({
    name: 'debug_traceBlockFromFile',
    summary: 'Traces a block read from a file that holds its RLP.',
    access: 'private',
    params: [param('file', Text, 'The file, under traces in the home folder.'), config],
    result: traces,
    examples: [],
    handler: notYet,
  }),
  method({
    name: 'debug_standardTraceBlockToFile',
    summary: 'Traces a block into files in the standard line format, one file for each transaction.',
    access: 'private',
    params: [hash, fileConfig],
    result: files,
    examples: [],
    handler: notYet,
  }),
  method({
    name: 'debug_standardTraceBadBlockToFile',
    summary: 'Traces a block that was refused into files; here no refused block is kept.',
    access: 'private',
    params: [hash, fileConfig],
    result: files,
    examples: [],
    handler: notYet,
  }),
]
