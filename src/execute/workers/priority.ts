import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * Sets the niceness of this thread, where threads have priorities (Linux): the higher it is, the sooner others run. The main
 * thread and the one that makes blocks have 0.
 */
export const setThreadNiceness = (niceness: number): void => {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (thread > 0 && thread !== process.pid) setPriority(thread, niceness)
  } catch {
    // Other systems have no priorities of threads.
  }
}
