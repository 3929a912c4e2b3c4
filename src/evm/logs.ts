import type { Log } from '../chain/block/log.ts'
import type { EvmInstance } from './instance.ts'

/** Decodes one log as assembly/run.ts writes it: account, topic count, data length, a gap; topics; data. */
export const decodeLog = (
  instance: EvmInstance,
  entry: number,
): { readonly log: Log; readonly end: number } => {
  const { view } = instance
  const topicCount = view.getUint32(entry + 4, true)
  const size = view.getUint32(entry + 8, true)
  const topics = Array.from({ length: topicCount }, (_, i) => instance.copy(entry + 16 + i * 32, 32))
  const data = entry + 16 + topicCount * 32
  const log = {
    address: instance.addressOf(view.getUint32(entry, true)),
    topics,
    data: instance.copy(data, size),
  }
  return { log, end: (data + size + 7) & ~7 }
}

/** Returns the logs of the transaction so far. */
export const decodeLogs = (instance: EvmInstance): Log[] => {
  const logs: Log[] = []
  let entry = instance.at.LOGS
  for (let i = instance.run.logCount.value; i > 0; i--) {
    const { log, end } = decodeLog(instance, entry)
    logs.push(log)
    entry = end
  }
  return logs
}
