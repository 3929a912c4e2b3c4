import type { HeapProfiler } from 'node:inspector'
import { type InspectedThread, ThreadInspector } from './threadInspector.ts'

/**
 * Where the memory in use was allocated: one allocation in so many bytes is followed until it is collected. The profile
 * holds names of functions and sizes, never what is stored; a snapshot of the heap, which would, is taken nowhere.
 */
export class HeapSampling {
  readonly #inspector: ThreadInspector

  private constructor(inspector: ThreadInspector) {
    this.#inspector = inspector
  }

  static async start(bytesBetween: number): Promise<HeapSampling> {
    const start = async (thread: InspectedThread): Promise<void> => {
      await thread.post('HeapProfiler.startSampling', { samplingInterval: bytesBetween })
    }
    return new HeapSampling(await ThreadInspector.open(start))
  }

  /** What was allocated since the start and is still in use, by thread; the sampling goes on. */
  async profiles(): Promise<readonly [thread: string, profile: HeapProfiler.SamplingHeapProfile][]> {
    return this.#inspector.ask(async (thread) => {
      const { profile } = await thread.post<HeapProfiler.GetSamplingProfileReturnType>(
        'HeapProfiler.getSamplingProfile',
      )
      return profile
    })
  }

  close(): void {
    this.#inspector.close()
  }
}
