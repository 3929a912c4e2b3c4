import { type ChainConfig, forkAt } from '../chain/config/chainConfig.ts'
import { since } from '../chain/config/forks.ts'
import { nextBaseFee } from '../chain/fees/baseFee.ts'
import type { FeeRules } from './feeOracle.ts'

/** Creates the fee rules of Ethereum: its base fee, and the minimum gas price of this node. */
export const createEthereumFeeRules = (config: ChainConfig, minimumGasPrice: bigint): FeeRules => ({
  baseFeeAfter: (header) => {
    const fork = forkAt(config, header.number + 1n, header.timestamp)
    return since(fork, 'london') ? nextBaseFee(header) : undefined
  },
  minGasPrice: () => minimumGasPrice,
  defaultTip: () => 1_000_000_000n,
})
