import type { Log } from '../../chain/block/receiptLog.ts'
import type { EvmInstance } from './instance.ts'

/** Decodes one log as assembly/run/effects.ts writes it: account, topic count, data length, the log before it; topics; data. */
export const decodeLog = (instance: EvmInstance, entry: number): Log => {
  const { view } = instance
  const topicCount = view.getUint32(entry + 4, true)
  const size = view.getUint32(entry + 8, true)
  const topics = Array.from({ length: topicCount }, (_, i) => instance.copy(entry + 16 + i * 32, 32))
  return {
    address: instance.addressOf(view.getUint32(entry, true)),
    topics,
    data: instance.copy(entry + 16 + topicCount * 32, size),
  }
}

/** Returns the logs of the transaction so far. */
export const decodeLogs = (instance: EvmInstance): Log[] => {
  const { run, view } = instance
  const logs: Log[] = []
  let entry = run.lastLog.value
  for (let count = run.logCount.value; count > 0; count--) {
    logs.push(decodeLog(instance, entry))
    entry = view.getUint32(entry + 12, true)
  }
  return logs.reverse()
}
