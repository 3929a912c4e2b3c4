import type { Header } from '../../chain/block/header.ts'
import { blobParametersAt, type ChainConfig, forkOfHeader } from '../../chain/config/chainConfig.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import type { BlockContext } from '../../evm/types.ts'

/** Returns the fork and the block context of an existing block, for calls and traces in it. */
export const toBlockContext = (
  config: ChainConfig,
  header: Header,
  blockHash: (number: bigint) => Uint8Array,
): { readonly fork: Fork; readonly block: BlockContext } => {
  const fork = forkOfHeader(config, header)
  return {
    fork,
    block: {
      number: header.number,
      timestamp: header.timestamp,
      coinbase: header.beneficiary,
      gasLimit: header.gasLimit,
      difficulty: header.difficulty,
      prevRandao: since(fork, 'paris') ? header.mixHash : undefined,
      baseFee: header.baseFeePerGas ?? 0n,
      excessBlobGas: header.excessBlobGas,
      blobParameters: since(fork, 'cancun') ? blobParametersAt(config, header.timestamp) : undefined,
      blockHash,
    },
  }
}
