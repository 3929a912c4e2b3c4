import { writeFileSync } from 'node:fs'

/** Which mappings a core dump holds, as bits: see core(5). None of them, so that no key is in the file. */
const noMappings = '0x0'

/** Keeps the memory of this process out of core dumps, where the system lets it (Linux); elsewhere nothing happens. */
export const excludeFromCoreDumps = (): void => {
  try {
    writeFileSync('/proc/self/coredump_filter', noMappings)
  } catch {
    // A system without it, or a read-only /proc: whether cores are written is the operator's setting then.
  }
}
