import type { Difference } from './differences.ts'
import type { Explanation } from './explanations.ts'

const ofBlock = ({ method }: Difference): boolean => /^eth_getBlockBy(?:Number|Hash)$/.test(method)
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const laterMethods = ['eth_getBlockReceipts', 'eth_getHeaderByNumber', 'eth_getHeaderByHash']

/** What the servers of Ethermint and Evmos, which are as old as geth 1.10, do not know or get wrong, and that of cosmos/evm 0.4 too. */
const olderServers: readonly Explanation[] = [
  {
    title: 'older servers: cumulativeGasUsed counts Cosmos transactions, which have no receipts',
    explains: ({ method, at, ours, theirs }) =>
      /^eth_get(?:TransactionReceipt|BlockReceipts)$/.test(method) &&
      at.endsWith('.cumulativeGasUsed') &&
      Number(theirs) > Number(ours),
  },
  {
    title: 'older servers: totalDifficulty, which execution-apis has no more',
    explains: (found) =>
      ofBlock(found) &&
      found.at.endsWith('.totalDifficulty') &&
      found.ours === undefined &&
      found.theirs === '0x0',
  },
  {
    title: 'older servers: the size is that of the block of CometBFT',
    explains: (found) => ofBlock(found) && found.at === 'answer.result.size',
  },
  {
    title: 'older servers: transactionsRoot is the DataHash of CometBFT',
    explains: (found) => ofBlock(found) && found.at === 'answer.result.transactionsRoot',
  },
  {
    title: 'older servers: receiptsRoot is that of no receipts',
    explains: (found) =>
      ofBlock(found) && found.at === 'answer.result.receiptsRoot' && found.theirs === emptyRoot,
  },
  {
    title: 'older servers: transactions without yParity',
    explains: ({ at, theirs }) => at.endsWith('.yParity') && theirs === undefined,
  },
  {
    title: 'older servers: methods that it does not have',
    explains: ({ method, at, theirs }) =>
      laterMethods.includes(method) &&
      (at === 'answer.error'
        ? JSON.stringify(theirs).includes('-32601')
        : at === 'answer.result' && theirs === undefined),
  },
  {
    title: 'older servers: eth_feeHistory without blobs, which are zeros here (execution-apis)',
    explains: ({ method, at, theirs }) =>
      method === 'eth_feeHistory' &&
      /\.(?:baseFeePerBlobGas|blobGasUsedRatio)$/.test(at) &&
      theirs === undefined,
  },
]

export const ethermintExplanations: readonly Explanation[] = [
  ...olderServers,
  {
    title: 'ethermint: no effectiveGasPrice of types 0 and 1',
    explains: ({ method, at, theirs }) =>
      method === 'eth_getTransactionReceipt' && at.endsWith('.effectiveGasPrice') && theirs === undefined,
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
    title: 'ethermint: eth_estimateGas of a revert is without its data (Ethermint 0.22, Evmos 18)',
    explains: ({ method, at, theirs }) =>
      method === 'eth_estimateGas' && at === 'answer.error.data' && theirs === undefined,
  },
]

const laterMembers =
  /\.(?:withdrawals|withdrawalsRoot|requestsHash|parentBeaconBlockRoot|excessBlobGas|blobGasUsed)$/

const logsWithoutTime: Explanation = {
  title: 'cosmos/evm 0.4: the blockTimestamp of logs is 0',
  explains: ({ at, theirs }) => at.endsWith('.blockTimestamp') && theirs === '0x0',
}

/** What cosmos/evm 0.5 makes of the blocks that its chain has from 0.4. */
export const upgradeExplanations: readonly Explanation[] = [
  logsWithoutTime,
  {
    title: 'upgraded: 0.5 panics when it executes in a state of 0.4, which is not a fault of the caller here',
    explains: ({ method, at, ours, theirs }) =>
      method.startsWith('debug_trace') && at === 'answer.error.code' && ours === -32002 && theirs === -32000,
  },
]

export const cosmosEvm04Explanations: readonly Explanation[] = [
  ...olderServers,
  {
    title: 'cosmos/evm 0.4: blocks without the members that Shanghai, Cancun and Prague brought',
    explains: (found) => ofBlock(found) && laterMembers.test(found.at) && found.theirs === undefined,
  },
  logsWithoutTime,
]
