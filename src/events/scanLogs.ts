import type { BlockLogs, LogPattern, LogReader } from '../chain/logReader.ts'
import type { BlockReader } from '../chain/port.ts'
import { matches, readLogKeys, toPatternKeys } from './logKeys.ts'

/** Logs without an index: every block of the range is looked at. */
export const scanLogs = (blocks: BlockReader): LogReader => ({
  *search(pattern: LogPattern, from: number, to: number): Generator<BlockLogs> {
    const keys = toPatternKeys(pattern)
    for (let number = from; number <= to; number++) {
      const receipts = blocks.receiptsJson(number)
      if (receipts === undefined) throw new Error(`the receipts of block ${number} are not kept`)
      const logs = (JSON.parse(Buffer.from(receipts).toString()) as { logs: object[] }[])
        .flatMap((receipt) => receipt.logs.map((log) => Buffer.from(JSON.stringify(log))))
        .filter((log) => matches(keys, readLogKeys(log)))
      if (logs.length > 0) yield { number, logs }
    }
  },
})
