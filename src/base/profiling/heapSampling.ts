import type { HeapProfiler } from 'node:inspector'
import { ProfilingError } from './profilingError.ts'
import { type InspectedThread, ThreadInspector } from './threadInspector.ts'

/**
 * Where the memory in use was allocated: one allocation in so many bytes is followed until it is collected. The profile
 * holds names of functions and sizes, never what is stored; a snapshot of the heap, which would, is taken nowhere.
 */
export class HeapSampling {
  readonly #inspector: ThreadInspector
  readonly #start: (thread: InspectedThread) => Promise<void>

  private constructor(inspector: ThreadInspector, start: (thread: InspectedThread) => Promise<void>) {
    this.#inspector = inspector
    this.#start = start
  }

  static async start(bytesBetween: number): Promise<HeapSampling> {
    const start = async (thread: InspectedThread): Promise<void> => {
      await thread.post('HeapProfiler.startSampling', { samplingInterval: bytesBetween })
    }
    return new HeapSampling(await ThreadInspector.open(start), start)
  }

  /** What was allocated since the start and is still in use, by thread; the sampling goes on. */
  async profiles(): Promise<readonly [thread: string, profile: HeapProfiler.SamplingHeapProfile][]> {
    return this.#inspector.queryAll(async (thread) => {
      try {
        const { profile } = await thread.post<HeapProfiler.GetSamplingProfileReturnType>(
          'HeapProfiler.getSamplingProfile',
        )
        return profile
      } catch {
        // V8 has one sampler a thread: another inspector, such as DevTools, may have stopped it.
        await this.#start(thread)
        throw new ProfilingError('the samples of the heap were ended from elsewhere: they begin anew now')
      }
    })
  }

  close(): void {
    this.#inspector.close()
  }
}
