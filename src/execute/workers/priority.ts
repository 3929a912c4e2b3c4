import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Where threads have priorities of their own (Linux), this one runs after the others. */
export const lowerThreadPriority = (): void => {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (thread > 0 && thread !== process.pid) setPriority(thread, 10)
  } catch {
    // Elsewhere all threads are equal.
  }
}
