import { toHex } from '../../base/hex.ts'
import type { NativeBlockContext } from './executionContext.ts'

/** What a query for a trace is told of its block. */
export const toTraceBlock = ({ header, hash, time, proposer }: NativeBlockContext, chainId: bigint) => ({
  blockNumber: header.number,
  blockHash: toHex(hash).slice(2),
  blockTime: time,
  proposerAddress: proposer,
  chainId,
})

/** All of a TraceCall but the call and the tracer. */
export const traceCallRequest = (blockContext: NativeBlockContext, chainId: bigint, gasCap: bigint) => ({
  ...toTraceBlock(blockContext, chainId),
  gasCap,
})
