import type { Worker } from 'node:worker_threads'
import { startSpareWorker } from '../../base/threads/builtFiles.ts'

/** Words of a command line with which the application gets no thread, or nothing is started at all. */
const withoutThread = ['--ephemeral', '--help', '-h']

/**
 * Starts the thread of the application for a command line that will need it, so that it loads its code beside the program.
 * Nothing is known yet but these words: whoever finds that it is not needed ends it (`endSpareWorker`).
 */
export const startAhead = (words: readonly string[]): Worker | undefined =>
  words[0] === 'start' && !words.some((word) => withoutThread.includes(word))
    ? startSpareWorker('app')
    : undefined
