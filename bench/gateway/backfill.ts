import { statSync } from 'node:fs'
import { dataFile } from '../../src/home/layout.ts'
import { startGateway } from './runningGateway.ts'
import { startUpstream, type UpstreamOptions } from './upstream.ts'

/** How fast a gateway takes in a chain that is there. */
export interface Backfill {
  /** Those that were not there when the gateway began to serve. */
  readonly blocks: number
  /** From then until it had the last block, with the CPU of all its threads. */
  readonly seconds: number
  readonly cpuMs: number
  /** The most memory that it had. */
  readonly peakMb: number
  /** What a block takes of the disk. */
  readonly bytesPerBlock: number
}

const bytesPerSector = 512

export const measureBackfill = async (
  options: UpstreamOptions,
  flags: readonly string[] = [],
): Promise<Backfill> => {
  const { blocks } = options
  const upstream = await startUpstream(options)
  const gateway = await startGateway([...upstream.flags, ...flags])
  try {
    // It answers before it is ready, which it is when it has caught up.
    const [first, cpu, started] = [await gateway.height(), gateway.cpuMs(), performance.now()]
    await gateway.reach(blocks)
    const seconds = (performance.now() - started) / 1000
    return {
      blocks: blocks - first,
      seconds,
      cpuMs: gateway.cpuMs() - cpu,
      peakMb: gateway.peakMb(),
      bytesPerBlock: (statSync(dataFile(gateway.home)).blocks * bytesPerSector) / blocks,
    }
  } finally {
    await gateway.stop()
    await upstream.stop()
  }
}
