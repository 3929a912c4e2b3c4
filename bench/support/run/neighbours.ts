import { availableParallelism } from 'node:os'
import { cpuMsOf, machineCpuMs } from './processTree.ts'

/**
 * Starts to watch the machine. What comes back returns the share of it that was used by others since: everything that
 * this process did not start.
 */
export const watchNeighbours = (pid = process.pid): (() => number) => {
  const [machine, own, start] = [machineCpuMs(), cpuMsOf(pid), performance.now()]
  return () => {
    const others = machineCpuMs() - machine - (cpuMsOf(pid) - own)
    const room = (performance.now() - start) * availableParallelism()
    return Math.min(1, Math.max(0, others / room))
  }
}
