import type { Header } from '../../chain/block/header.ts'
import { clientConfigAt } from '../../chain/config/clientConfig.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { callFailed } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { legacyGasPrice, suggestFees } from '../accounts/fees.ts'
import { firstNumber, latest, mapMaybePromise } from '../answers/lookup.ts'
import { publicMethod, servedMethod } from '../method.ts'
import { Block } from '../wire/block.ts'
import { blockHash, clientConfig } from '../wire/exampleValues.ts'
import {
  BlockCount,
  Capabilities,
  ClientConfigResult,
  FeeHistoryResult,
  Percentiles,
  toCapabilities,
  toClientConfigResult,
  toFeeHistoryJson,
} from '../wire/fees.ts'
import { Quantity } from '../wire/quantity.ts'

/** Checks the order of the percentiles and throws geth's errors. */
const checkPercentiles = (percentiles: readonly number[]): void => {
  for (const [index, percentile] of percentiles.entries()) {
    if (percentile < 0 || percentile > 100)
      throw callFailed(`invalid reward percentile: ${percentile.toFixed(6)}`)
    const before = percentiles[index - 1]
    if (before !== undefined && percentile <= before)
      throw callFailed(
        `invalid reward percentile: #${index - 1}:${before.toFixed(6)} >= #${index}:${percentile.toFixed(6)}`,
      )
  }
}

const requireHeader = ({ blocks }: Chain, number: number): Header => {
  const header = blocks.header(number)
  if (header === undefined) throw callFailed('header not found')
  return header
}

export const feeMethods = [
  servedMethod({
    name: 'eth_gasPrice',
    summary: 'Suggests a price per unit of gas, in wei, at which a transaction is likely in the next block.',
    params: [],
    result: { name: 'price', type: Quantity },
    examples: [{ name: '1.875 gwei', params: [], result: '0x6fc23ac0' }],
    handler: async (_, { chain }) => legacyGasPrice(await suggestFees(chain)),
  }),
  servedMethod({
    name: 'eth_maxPriorityFeePerGas',
    summary: 'Suggests a tip per unit of gas, in wei, with which a transaction is likely in the next block.',
    params: [],
    result: { name: 'tip', type: Quantity },
    examples: [{ name: '1 gwei', params: [], result: '0x3b9aca00' }],
    handler: (_, { chain }) => chain.fees.suggestTip(),
  }),
  servedMethod({
    name: 'eth_baseFee',
    summary: 'Gives the base fee of the next block, in wei per unit of gas; zero before there are any.',
    params: [],
    result: { name: 'baseFee', type: Quantity },
    examples: [{ name: '0.875 gwei', params: [], result: '0x342770c0' }],
    handler: (_, { chain }) => mapMaybePromise(chain.fees.nextBaseFee(), (fee) => fee ?? 0n),
  }),
  servedMethod({
    name: 'eth_blobBaseFee',
    summary:
      'Gives the price of a unit of blob gas in the newest block, in wei; zero before there are blobs.',
    params: [],
    result: { name: 'blobBaseFee', type: Quantity },
    examples: [{ name: 'no demand', params: [], result: '0x1' }],
    handler: (_, { chain }) => mapMaybePromise(chain.fees.blobBaseFee(), (fee) => fee ?? 0n),
  }),
  servedMethod({
    name: 'eth_feeHistory',
    summary: 'Gives base fees, how full blocks were, and the tips paid in them, for a range of blocks.',
    work: 'state',
    params: [
      param('blockCount', BlockCount, 'How many blocks; fewer come where there are fewer, or past the cap.'),
      optionalParam('newestBlock', Block, 'The last block of the range; latest when missing.'),
      optionalParam('rewardPercentiles', Percentiles, 'Which tips to give of each block, by gas used.'),
    ],
    result: { name: 'history', type: FeeHistoryResult },
    examples: [
      {
        name: 'a block with one transfer',
        params: ['0x1', 'latest', [50]],
        result: {
          oldestBlock: '0x1',
          reward: [['0x3b9aca00']],
          baseFeePerGas: ['0x342770c0', '0x2da7b83a'],
          gasUsedRatio: [0.00035],
          baseFeePerBlobGas: ['0x1', '0x1'],
          blobGasUsedRatio: [0],
        },
      },
    ],
    handler: async ([count, newest, percentiles], { chain }, scope) => {
      if (percentiles !== undefined) checkPercentiles(percentiles)
      const requested = percentiles !== undefined && percentiles.length > 0 ? percentiles : undefined
      const end: BlockRef = newest ?? latest
      return toFeeHistoryJson(await chain.fees.history(count, end, requested, scope))
    },
  }),
  publicMethod({
    name: 'eth_config',
    summary: 'Gives the rules that hold now, those that come next and the last that are planned (EIP-7910).',
    params: [],
    result: { name: 'config', type: ClientConfigResult },
    examples: [{ name: 'the chain of a first start', params: [], result: clientConfig }],
    handler: (_, { chain }) => {
      const first = firstNumber(chain)
      const genesisHash = chain.blocks.hash(first)
      if (genesisHash === undefined) throw callFailed('header not found')
      const genesis = { header: requireHeader(chain, first), hash: genesisHash }
      const config = clientConfigAt(chain.config, genesis, requireHeader(chain, chain.head().number))
      return toClientConfigResult(chain.config.chainId, config)
    },
  }),
  publicMethod({
    name: 'eth_capabilities',
    summary: 'Tells from which block on the node has states, blocks, transactions, receipts and logs.',
    params: [],
    result: { name: 'capabilities', type: Capabilities },
    examples: [
      {
        name: 'everything is kept',
        params: [],
        result: {
          head: { number: '0x1', hash: blockHash },
          state: { disabled: false, oldestBlock: '0x0' },
          tx: { disabled: false, oldestBlock: '0x0' },
          logs: { disabled: false, oldestBlock: '0x0' },
          receipts: { disabled: false, oldestBlock: '0x0' },
          blocks: { disabled: false, oldestBlock: '0x0' },
          stateproofs: { disabled: false, oldestBlock: '0x0' },
        },
      },
    ],
    handler: (_, { chain }) => toCapabilities(chain.head(), chain.retention()),
  }),
]
