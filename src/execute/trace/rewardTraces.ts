import type { blockRewards } from '../../chain/block/blockRewards.ts'
import { type Header, headerHash } from '../../chain/block/header.ts'
import { createFrameFilter, readFilter } from '../../evm/tracers/parity/parityFilter.ts'
import { toTraceLocation } from '../../evm/tracers/parity/writeTraces.ts'
import { toConfigObject } from '../../evm/tracers/tracerConfig.ts'
import type { TraceWriter } from './writer.ts'

/** Writes the rewards of a block as Parity's traces: that of the block first, then those of its uncles. */
export const writeRewards = (
  rewards: ReturnType<typeof blockRewards>,
  header: Header,
  tracerConfig: unknown,
  trace: TraceWriter,
): void => {
  const { filter } = toConfigObject(tracerConfig)
  const wanted = filter === undefined ? undefined : createFrameFilter(readFilter(filter))
  const location = toTraceLocation({
    blockHash: headerHash(header),
    blockNumber: header.number,
    transactionHash: undefined,
    transactionIndex: 0,
  })
  const { output } = trace
  for (const [index, { address, amount }] of [...rewards.slice(-1), ...rewards.slice(0, -1)].entries()) {
    if (wanted?.matchesReward(address) === false) continue
    output.ascii(trace.hasElements ? ',{"action":{"author":' : '{"action":{"author":')
    output.data(address)
    output.ascii(`,"rewardType":"${index === 0 ? 'block' : 'uncle'}","value":`)
    output.quantity(amount)
    output.ascii(`}${location.block},"result":null,"subtraces":0,"traceAddress":[]${location.transaction}`)
    output.ascii(',"type":"reward"}')
    trace.hasElements = true
  }
}
