import type { Profiler } from 'node:inspector'
import { type InspectedThread, ThreadInspector } from './threadInspector.ts'

/** The CPU profile of one thread, because a `.cpuprofile` file holds one. */
export interface ThreadProfile {
  readonly thread: string
  readonly profile: Profiler.Profile
}

/** A running CPU profile of all threads. */
export class CpuSampling {
  readonly #inspector: ThreadInspector

  private constructor(inspector: ThreadInspector) {
    this.#inspector = inspector
  }

  static async start(): Promise<CpuSampling> {
    return new CpuSampling(await ThreadInspector.open(startProfiler))
  }

  /** Stops and returns the profiles. The samples of threads that have ended are lost. */
  async stop(): Promise<readonly ThreadProfile[]> {
    try {
      const stopped = await this.#inspector.queryAll(stopProfiler)
      return stopped.map(([thread, profile]) => ({ thread, profile }))
    } finally {
      this.#inspector.close()
    }
  }
}

export const startProfiler = async (thread: InspectedThread): Promise<void> => {
  await thread.post('Profiler.enable')
  await thread.post('Profiler.start')
}

export const stopProfiler = async (thread: InspectedThread): Promise<Profiler.Profile> =>
  (await thread.post<Profiler.StopReturnType>('Profiler.stop')).profile
