import { toHex } from '../../base/hex.ts'
import type { HeightFacts } from './site.ts'

/** What a query for a trace is told of its block. */
export const blockOfTrace = ({ header, hash, time, proposer }: HeightFacts, chainId: bigint) => ({
  blockNumber: header.number,
  blockHash: toHex(hash).slice(2),
  blockTime: time,
  proposerAddress: proposer,
  chainId,
})

/** All of a TraceCall but the call and the tracer. */
export const traceCallRequest = (facts: HeightFacts, chainId: bigint, gasCap: bigint) => ({
  ...blockOfTrace(facts, chainId),
  gasCap,
})
