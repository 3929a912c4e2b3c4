import { toHex } from '../../base/encoding/hex.ts'
import type { NativeBlockContext } from './executionContext.ts'

/** Returns the block values that a trace query states. */
export const toTraceBlock = ({ header, hash, time, proposer }: NativeBlockContext, chainId: bigint) => ({
  blockNumber: header.number,
  blockHash: toHex(hash).slice(2),
  blockTime: time,
  proposerAddress: proposer,
  chainId,
})

/** Returns the fields of a TraceCall request except the call and the tracer. */
export const traceCallRequest = (blockContext: NativeBlockContext, chainId: bigint, gasCap: bigint) => ({
  ...toTraceBlock(blockContext, chainId),
  gasCap,
})
