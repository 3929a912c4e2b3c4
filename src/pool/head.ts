import type { Header } from '../chain/block/header.ts'
import { blobParametersAt, type ChainConfig, forkAt } from '../chain/config/chainConfig.ts'
import { since } from '../chain/config/forks.ts'
import { nextBaseFee } from '../chain/fees/baseFee.ts'
import { blobBaseFee, nextExcessBlobGas } from '../chain/fees/blobGas.ts'
import { type EvmStateReader, emptyCodeHash } from '../chain/state/evmState.ts'
import { parseDelegation } from '../chain/transaction/delegation.ts'
import type { PoolHead, PoolState } from './types.ts'

/** Returns the head's state for the pool; `state` returns the current reader. */
export const createPoolState = (state: () => EvmStateReader): PoolState => ({
  nonce: (address) => state().account(address)?.nonce ?? 0n,
  balance: (address) => state().account(address)?.balance ?? 0n,
  codeKind: (address) => {
    const codeHash = state().account(address)?.codeHash
    if (codeHash === undefined || Buffer.compare(codeHash, emptyCodeHash) === 0) return 'none'
    return parseDelegation(state().code(codeHash)) === undefined ? 'contract' : 'delegation'
  },
})

/** Returns the rules and prices of the block after this one, if its time is `time` (seconds). */
export const toPoolHead = (config: ChainConfig, header: Header, time: number): PoolHead => {
  const number = header.number + 1n
  const at = BigInt(time) > header.timestamp ? BigInt(time) : header.timestamp
  const fork = forkAt(config, number, at)
  const blobs = since(fork, 'cancun') ? blobParametersAt(config, at) : undefined
  return {
    number: header.number,
    time: header.timestamp,
    gasLimit: header.gasLimit,
    baseFee: since(fork, 'london') ? nextBaseFee(header) : 0n,
    blobBaseFee: blobs ? blobBaseFee(nextExcessBlobGas(header, fork, blobs), blobs) : 0n,
    fork,
    chainId: config.chainId,
  }
}
