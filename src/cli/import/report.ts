import { SingleBar } from 'cli-progress'
import type { ImportProgress } from '../../app/import/file.ts'
import type { Logger } from '../../base/log.ts'

const reportEveryMs = 5_000

/** Reports the progress of an import: a bar on a terminal, or an occasional log line elsewhere. */
export interface ImportReporter {
  /** Reports a step; `bytesRead` counts the file's bytes, compressed or not. */
  step(progress: ImportProgress, bytesRead: number): void
  stop(): void
}

export const createImportReporter = (fileBytes: number, log: Logger): ImportReporter => {
  const started = performance.now()
  const speed = ({ blocks, transactions, gas }: ImportProgress) => {
    const seconds = (performance.now() - started) / 1000
    return {
      blocksPerSecond: Math.round(blocks / seconds),
      transactionsPerSecond: Math.round(transactions / seconds),
      mgasPerSecond: Math.round(Number(gas) / 1e6 / seconds),
    }
  }
  if (process.stderr.isTTY) {
    const format = '{bar} {percentage}%, block {block}, {blocksPerSecond} blocks/s, {mgasPerSecond} Mgas/s'
    const bar = new SingleBar({ format })
    bar.start(fileBytes, 0, { block: 0, blocksPerSecond: 0, mgasPerSecond: 0 })
    return {
      step: (progress, bytesRead) => bar.update(bytesRead, { block: progress.number, ...speed(progress) }),
      stop: () => bar.stop(),
    }
  }
  let reported = started
  return {
    step: (progress, bytesRead) => {
      if (performance.now() - reported < reportEveryMs) return
      reported = performance.now()
      const percent = Math.floor((100 * bytesRead) / fileBytes)
      log.info({ block: Number(progress.number), percent, ...speed(progress) }, 'importing')
    },
    stop: () => undefined,
  }
}
