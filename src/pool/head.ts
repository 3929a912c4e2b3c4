import type { Header } from '../chain/block/header.ts'
import {
  blobParametersAt,
  type ChainConfig,
  forkAt,
  nextActivationTime,
} from '../chain/config/chainConfig.ts'
import { since } from '../chain/config/forks.ts'
import { nextBaseFee } from '../chain/fees/baseFee.ts'
import { blobBaseFee, nextExcessBlobGas } from '../chain/fees/blobGas.ts'
import type { BlockHeaderOverrides } from '../chain/port/headerOverrides.ts'
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

/**
 * Returns the rules and prices of the block after this one; `nextTime` returns the time in seconds that it would have
 * now, `overrides` are what clients of a dev chain set for it. No engine makes blocks with a difficulty, so the block is past the merge if its fork is.
 */
export const toPoolHead = (
  config: ChainConfig,
  header: Header,
  nextTime: () => number,
  overrides: Pick<BlockHeaderOverrides, 'baseFee' | 'gasLimit'> = {},
): PoolHead => {
  const number = header.number + 1n
  const time = BigInt(nextTime())
  const at = time > header.timestamp ? time : header.timestamp
  const fork = forkAt(config, number, at, true)
  const nextChange = nextActivationTime(config, at)
  const blobs = since(fork, 'cancun') ? blobParametersAt(config, at) : undefined
  return {
    number: header.number,
    time: header.timestamp,
    gasLimit: overrides.gasLimit ?? header.gasLimit,
    baseFee: since(fork, 'london') ? (overrides.baseFee ?? nextBaseFee(header)) : 0n,
    blobBaseFee: blobs ? blobBaseFee(nextExcessBlobGas(header, fork, blobs), blobs) : 0n,
    maxBlobs: blobs?.max ?? 0,
    fork,
    chainId: config.chainId,
    limits: config.limits,
    renew:
      nextChange === undefined
        ? undefined
        : () =>
            BigInt(nextTime()) < nextChange ? undefined : toPoolHead(config, header, nextTime, overrides),
  }
}
