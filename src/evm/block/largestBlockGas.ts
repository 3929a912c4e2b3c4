import { type ChainConfig, forkAt } from '../../chain/config/chainConfig.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import { type ChainLimits, transactionGasCap } from '../../chain/config/limits.ts'

/**
 * Returns the most gas that a block may have under a fork's rules, so that whatever it does the EVM's memory of two
 * gigabytes holds it. What lasts for a transaction (transient storage, the journal, logs, memory) takes at most about
 * 1.5 bytes a unit of gas; from Osaka on no transaction has more than 2^24 (EIP-7825), unless the
 * chain's limits allow it. What lasts for a block, its
 * accounts and slots, takes 0.1 bytes, but up to 8 before EIP-150 gave reading a price.
 */
export const largestBlockGas = (fork: Fork, limits: ChainLimits): bigint => {
  const cap = transactionGasCap(limits, fork)
  if (cap !== undefined && cap <= 2n ** 24n) return 10_000_000_000n
  return since(fork, 'tangerineWhistle') ? 1_000_000_000n : 200_000_000n
}

/**
 * Returns why a chain that begins with this gas limit could come to a block that no node can execute; nothing if it
 * cannot. `time` is that of the first block.
 */
export const checkGasLimit = (config: ChainConfig, gasLimit: bigint, time: bigint): readonly string[] => {
  const fork = forkAt(config, 0n, time)
  const most = largestBlockGas(fork, config.limits)
  if (gasLimit <= most) return []
  return [`gasLimit is ${gasLimit}: at most ${most} is possible with the rules of ${fork}; lower it`]
}
