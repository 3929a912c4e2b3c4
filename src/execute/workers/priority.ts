import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Lowers the priority of this thread below the others, where threads have priorities (Linux). */
export const lowerThreadPriority = (): void => {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (thread > 0 && thread !== process.pid) setPriority(thread, 10)
  } catch {
    // Other systems have no priorities of threads.
  }
}
