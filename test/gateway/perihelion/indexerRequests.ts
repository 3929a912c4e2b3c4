import { toQuantity } from '../../../src/base/encoding/hex.ts'
import type { ChainExample, RpcRequest, SampleBlock } from './requests.ts'

/** What indexers and explorers ask: `trace_*`, `ots_*` and `erigon_*` about blocks and their transactions. */

const kinds = ['trace', 'stateDiff', 'vmTrace']
const absent = `0x${'99'.repeat(20)}`
const unknownHash = `0x${'12'.repeat(32)}`
/** A transaction of an account that has nothing; what it would do is an error. */
const rawTransaction = `0xf85f808082520894999999999999999999999999999999999999999980801ba011${'02'.repeat(31)}a0${'22'.repeat(32)}`

const ofBlock = (block: SampleBlock, { contract }: ChainExample): readonly RpcRequest[] => {
  const { number, hash, transactions } = block
  const at = toQuantity(number)
  return [
    ['trace_block', at],
    ['trace_block', hash],
    ['trace_replayBlockTransactions', at, kinds],
    ['trace_replayBlockTransactions', at, ['trace']],
    ['trace_filter', { fromBlock: toQuantity(Math.max(0, number - 3)), toBlock: at, toAddress: [contract] }],
    ['ots_getBlockDetails', number],
    ['ots_getBlockDetailsByHash', hash],
    ['ots_getBlockTransactions', number, 0, 25],
    ['ots_getBlockTransactions', number, 1, 2],
    ['ots_hasCode', contract, at],
    ['erigon_getHeaderByNumber', at],
    ['erigon_getHeaderByNumber', number],
    ['erigon_getHeaderByHash', hash],
    ['erigon_getBlockReceiptsByBlockHash', hash],
    ['erigon_getLogsByHash', hash],
    ['erigon_getLatestLogs', { toBlock: at }, { logCount: 7 }],
    ['erigon_getLatestLogs', { toBlock: at, address: contract }, { blockCount: 2 }],
    ...transactions.flatMap(({ hash: id, from, nonce }): RpcRequest[] => [
      ['trace_transaction', id],
      ['trace_get', id, ['0x0']],
      ['trace_get', id, ['0x2']],
      ['trace_replayTransaction', id, kinds],
      ['trace_filter', { fromBlock: at, toBlock: at, fromAddress: [from], count: 2 }],
      ['ots_getTransactionBySenderAndNonce', from, Number(nonce)],
      ['ots_traceTransaction', id],
      ['ots_searchTransactionsBefore', from, number + 1, 4],
      ['ots_searchTransactionsAfter', from, Math.max(0, number - 1), 4],
    ]),
  ]
}

/** What a chain is asked once. */
const ofChain = ({ blocks, contract, accounts }: ChainExample): readonly RpcRequest[] => {
  const last = blocks.length - 1
  const [from = absent] = accounts
  const call = { from, to: contract, data: '0x', gas: '0x30d40' }
  return [
    ['ots_getApiLevel'],
    ['erigon_forks'],
    ['trace_block', 'latest'],
    ['trace_block', '0x0'],
    ['trace_block', '0xfffffff'],
    ['trace_transaction', unknownHash],
    ['trace_get', unknownHash, ['0x0']],
    ['trace_replayTransaction', unknownHash, kinds],
    ['trace_filter', { fromBlock: '0x5', toBlock: '0x4' }],
    ['trace_filter', { toBlock: '0xfffffff' }],
    ['trace_filter', { fromBlock: toQuantity(Math.max(0, last - 20)), count: 30, after: 3 }],
    ['ots_getBlockDetails', 0xfffffff],
    ['ots_traceTransaction', unknownHash],
    ['ots_getTransactionError', unknownHash],
    ['ots_getContractCreator', absent],
    ...[contract, ...accounts].flatMap((address): RpcRequest[] => [
      ['ots_getContractCreator', address],
      ['ots_searchTransactionsBefore', address, 0, 25],
      ['ots_searchTransactionsAfter', address, 0, 25],
    ]),
    ...[1, Math.floor(last / 2), last].flatMap((number): RpcRequest[] => {
      const at = toQuantity(number)
      return [
        ['trace_call', call, kinds, at],
        [
          'trace_callMany',
          [
            [call, ['trace']],
            [{ ...call, value: '0x1' }, kinds],
          ],
          at,
        ],
        ['trace_rawTransaction', rawTransaction, ['trace'], at],
      ]
    }),
    // Most transactions neither fail nor call: all are asked about.
    ...blocks
      .flatMap(({ transactions }) => transactions)
      .flatMap(({ hash }): RpcRequest[] => [
        ['ots_getInternalOperations', hash],
        ['ots_getTransactionError', hash],
      ]),
    ['erigon_getBlockByTimestamp', 0x7fffffff, true],
    ['erigon_getBlockByTimestamp', 0, false],
  ]
}

/** Returns the requests, of one block in so many. */
export const generateIndexerRequests = (sample: ChainExample, every: number): readonly RpcRequest[] => [
  ...ofChain(sample),
  ...sample.blocks
    .filter(({ number }) => number > 0 && number % every === 0)
    .flatMap((block) => ofBlock(block, sample)),
]
