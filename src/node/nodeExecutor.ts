import { noBytes } from '../base/bytes.ts'
import type { ChainConfig } from '../chain/chainConfig.ts'
import { ChainError } from '../chain/chainError.ts'
import type { Header } from '../chain/header.ts'
import type { CallOutcome } from '../chain/port.ts'
import type { TransactionRequest } from '../chain/transactionRequest.ts'
import type { WorldReader } from '../chain/world.ts'
import type { Machine } from '../evm/machine.ts'
import { InterruptedError } from '../evm/types.ts'
import { contextOfHeader } from './blockContext.ts'

export interface CallLimits {
  readonly gasCap: bigint
  readonly timeoutMs: number
}

export interface CallPlace {
  readonly header: Header
  readonly world: WorldReader
  readonly blockHash: (number: bigint) => Uint8Array
}

const nobody = new Uint8Array(20)

/** Runs a call over the state of a block. Nothing of it stays. */
export const runCall = (
  machine: Machine,
  config: ChainConfig,
  { header, world, blockHash }: CallPlace,
  request: TransactionRequest,
  { gasCap, timeoutMs }: CallLimits,
): CallOutcome => {
  const { fork, block } = contextOfHeader(config, header, blockHash)
  const gasPrice = request.gasPrice ?? request.maxFeePerGas ?? 0n
  const execution = machine.begin({
    fork,
    chainId: config.chainId,
    world,
    // A call that names no price pays none, so that the base fee cannot stand in its way.
    block: gasPrice === 0n ? { ...block, baseFee: 0n } : block,
    limits: { deadline: performance.now() + timeoutMs },
  })
  try {
    const result = execution.call({
      from: request.from ?? nobody,
      to: request.to,
      value: request.value ?? 0n,
      data: request.data ?? noBytes,
      gasLimit: request.gas === undefined || request.gas > gasCap ? gasCap : request.gas,
      gasPrice,
      accessList: [],
      blobVersionedHashes: [],
      authorizationList: [],
    })
    if (!result.valid) throw new ChainError('refused', result.reason)
    return {
      isSuccess: result.success,
      isRevert: result.error === 'execution reverted',
      error: result.error,
      output: result.output,
      gasUsed: result.gasUsed,
    }
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error
    throw new ChainError('refused', `execution aborted (timeout = ${timeoutMs / 1000}s)`)
  }
}
