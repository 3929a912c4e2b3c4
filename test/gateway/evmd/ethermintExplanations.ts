import type { Difference } from './differences.ts'
import type { Explanation } from './explanations.ts'

const ofBlock = ({ method }: Difference): boolean => /^eth_getBlockBy(?:Number|Hash)$/.test(method)
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const laterMethods = ['eth_getBlockReceipts', 'eth_getHeaderByNumber', 'eth_getHeaderByHash']

/** What the servers of Ethermint and Evmos, which are as old as geth 1.10, do not know or get wrong. */
export const ethermintExplanations: readonly Explanation[] = [
  {
    title: 'ethermint: cumulativeGasUsed counts Cosmos transactions, which have no receipts',
    explains: ({ method, at, ours, theirs }) =>
      method === 'eth_getTransactionReceipt' &&
      at.endsWith('.cumulativeGasUsed') &&
      Number(theirs) > Number(ours),
  },
  {
    title: 'ethermint: totalDifficulty, which execution-apis has no more',
    explains: (found) =>
      ofBlock(found) &&
      found.at.endsWith('.totalDifficulty') &&
      found.ours === undefined &&
      found.theirs === '0x0',
  },
  {
    title: 'ethermint: the size is that of the block of CometBFT',
    explains: (found) => ofBlock(found) && found.at === 'answer.result.size',
  },
  {
    title: 'ethermint: transactionsRoot is the DataHash of CometBFT',
    explains: (found) => ofBlock(found) && found.at === 'answer.result.transactionsRoot',
  },
  {
    title: 'ethermint: receiptsRoot is that of no receipts',
    explains: (found) =>
      ofBlock(found) && found.at === 'answer.result.receiptsRoot' && found.theirs === emptyRoot,
  },
  {
    title: 'ethermint: transactions without yParity',
    explains: ({ at, theirs }) => at.endsWith('.yParity') && theirs === undefined,
  },
  {
    title: 'ethermint: no effectiveGasPrice of types 0 and 1',
    explains: ({ method, at, theirs }) =>
      method === 'eth_getTransactionReceipt' && at.endsWith('.effectiveGasPrice') && theirs === undefined,
  },
  {
    title: 'ethermint: methods that it does not have',
    explains: ({ method, at, theirs }) =>
      laterMethods.includes(method) &&
      (at === 'answer.error'
        ? JSON.stringify(theirs).includes('-32601')
        : at === 'answer.result' && theirs === undefined),
  },
  {
    title: 'ethermint: eth_feeHistory without blobs, which are zeros here (execution-apis)',
    explains: ({ method, at, theirs }) =>
      method === 'eth_feeHistory' &&
      /\.(?:baseFeePerBlobGas|blobGasUsedRatio)$/.test(at) &&
      theirs === undefined,
  },
  {
    title: 'ethermint: the nonce of an account is 0 at every block once its newest state has no such account',
    explains: ({ method, ours, theirs }) =>
      method === 'eth_getTransactionCount' && ours === '0x1' && theirs === '0x0',
  },
  {
    title: 'ethermint: the reason of a Panic(uint256) is not told',
    explains: ({ at, ours, theirs }) =>
      at === 'answer.error.message' &&
      theirs === 'execution reverted' &&
      String(ours).startsWith('execution reverted: '),
  },
  {
    title: 'ethermint: eth_estimateGas of a revert is without its data (Ethermint 0.22)',
    explains: ({ method, at, theirs }) =>
      method === 'eth_estimateGas' && at === 'answer.error.data' && theirs === undefined,
  },
]
