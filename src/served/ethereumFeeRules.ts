import type { Header } from '../chain/block/header.ts'
import { type ChainConfig, forkAt } from '../chain/config/chainConfig.ts'
import { since } from '../chain/config/forks.ts'
import { nextBaseFee } from '../chain/fees/baseFee.ts'
import type { FeeRules } from './feeOracle.ts'

/**
 * Creates the fee rules of Ethereum: its base fee, and the minimum gas price of this node. `baseFeeSet` returns the base fee
 * that was set for the block after a header, on a dev chain.
 */
export const createEthereumFeeRules = (
  config: ChainConfig,
  minimumGasPrice: bigint,
  baseFeeSet: (header: Header) => bigint | undefined = () => undefined,
): FeeRules => ({
  baseFeeAfter: (header) => {
    const fork = forkAt(config, header.number + 1n, header.timestamp)
    return since(fork, 'london') ? (baseFeeSet(header) ?? nextBaseFee(header)) : undefined
  },
  minGasPrice: () => minimumGasPrice,
  defaultTip: () => 1_000_000_000n,
})
