import { writeFileSync } from 'node:fs'

/** The mappings that a core dump includes, as bits (see core(5)): none, so that no key is in the file. */
const noMappings = '0x0'

/** Excludes the memory of this process from core dumps. It has an effect on Linux only. */
export const excludeFromCoreDumps = (): void => {
  try {
    writeFileSync('/proc/self/coredump_filter', noMappings)
  } catch {
    // The system has no such file, or /proc is read-only: the operator decides whether core dumps are written.
  }
}
