import type { HeapProfiler } from 'node:inspector'
import { ProfilingError } from './profilingError.ts'
import { type InspectedThread, ThreadInspector } from './threadInspector.ts'

/**
 * Samples where the memory in use was allocated: one allocation per interval of bytes is tracked until it is collected.
 * The profile holds function names and sizes, never data. Heap snapshots, which hold data, are never taken.
 */
export class HeapSampling {
  readonly #inspector: ThreadInspector
  readonly #start: (thread: InspectedThread) => Promise<void>

  private constructor(inspector: ThreadInspector, start: (thread: InspectedThread) => Promise<void>) {
    this.#inspector = inspector
    this.#start = start
  }

  static async start(samplingInterval: number): Promise<HeapSampling> {
    const start = async (thread: InspectedThread): Promise<void> => {
      await thread.post('HeapProfiler.startSampling', { samplingInterval })
    }
    return new HeapSampling(await ThreadInspector.open(start), start)
  }

  /** Returns, by thread, what was allocated since the start and is still in use. The sampling continues. */
  async profiles(): Promise<readonly [thread: string, profile: HeapProfiler.SamplingHeapProfile][]> {
    return this.#inspector.queryAll(async (thread) => {
      try {
        const { profile } = await thread.post<HeapProfiler.GetSamplingProfileReturnType>(
          'HeapProfiler.getSamplingProfile',
        )
        return profile
      } catch {
        // V8 has one sampler for each thread, which another inspector such as DevTools may have stopped.
        await this.#start(thread)
        throw new ProfilingError('heap sampling was stopped from elsewhere and starts over now')
      }
    })
  }

  close(): void {
    this.#inspector.close()
  }
}
