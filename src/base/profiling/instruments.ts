import { CpuSampling } from './cpuProfile.ts'
import { GarbageMeter, HeapGrowth } from './garbage.ts'
import { HeapSampling } from './heapSampling.ts'
import type { LockWaits } from './lockWaits.ts'
import { LoopDelayMeter } from './loopDelay.ts'
import { collectGarbage, readMemory } from './memory.ts'
import { ProfileFolder } from './profileFolder.ts'
import { ProfilingError } from './profilingError.ts'
import { pause, Recordings } from './recordings.ts'
import { readStacks } from './stacks.ts'
import { TraceRecording } from './traceEvents.ts'

export interface InstrumentOptions {
  readonly home: string
  /** Bytes between two samples of the heap; 0: none is taken. */
  readonly heapSample: number
}

type Files = Promise<readonly string[]>

/** The instruments of the process: figures that are read, and profiles that go to files in the home. */
export class Instruments {
  readonly #options: InstrumentOptions
  readonly #waits: LockWaits
  readonly #folder: ProfileFolder
  readonly #garbage = new GarbageMeter()
  readonly #growth = new HeapGrowth()
  readonly #closing = new AbortController()
  #heap: HeapSampling | undefined
  #delays: LoopDelayMeter | undefined
  #rateSet: Promise<void> = Promise.resolve()

  readonly cpu = new Recordings('CPU profiling', async (file) => {
    const path = this.#folder.pathOf(file, '.cpuprofile')
    const sampling = await CpuSampling.start()
    return async () => {
      const profiles = await sampling.stop()
      return this.#writeByThread(
        path,
        profiles.map(({ thread, profile }) => [thread, profile]),
      )
    }
  })

  readonly trace = new Recordings('trace', async (file) => {
    const path = this.#folder.pathOf(file, '.json')
    const recording = await TraceRecording.start(await this.#folder.create(path))
    return async () => {
      await recording.stop()
      return [path]
    }
  })

  /** Delays of the event loop. */
  readonly block = {
    setRate: (rate: number): Promise<void> => {
      // One after the other: two meters at a time would be one that nobody stops.
      this.#rateSet = this.#rateSet.then(() => this.#setDelayRate(rate))
      return this.#rateSet
    },
    write: async (file: string): Files => {
      const path = this.#folder.pathOf(file, '.json')
      if (this.#delays === undefined) {
        throw new ProfilingError('no delays are measured: turn it on with debug_setBlockProfileRate')
      }
      return this.#writeJson(path, await this.#delays.report())
    },
    measure: async (file: string, ms: number, signal: AbortSignal): Files => {
      const path = this.#folder.pathOf(file, '.json')
      const meter = new LoopDelayMeter(1)
      await meter.start()
      try {
        await pause(ms, this.#orClosing(signal))
        return await this.#writeJson(path, await meter.report())
      } finally {
        await meter.stop()
      }
    },
  }

  /** Waits for locks. */
  readonly mutex = {
    setRate: async (fraction: number): Promise<void> => this.#waits.setFraction(fraction),
    write: async (file: string): Files =>
      this.#writeJson(this.#folder.pathOf(file, '.json'), this.#waits.report()),
    measure: async (file: string, ms: number, signal: AbortSignal): Files => {
      const path = this.#folder.pathOf(file, '.json')
      const end = this.#waits.measure()
      await pause(ms, this.#orClosing(signal))
      return this.#writeJson(path, end())
    },
  }

  constructor(options: InstrumentOptions, waits: LockWaits) {
    this.#options = options
    this.#waits = waits
    this.#folder = new ProfileFolder(options.home)
  }

  async start(): Promise<void> {
    const { heapSample } = this.#options
    if (heapSample > 0) this.#heap = await HeapSampling.start(heapSample)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([this.cpu.close(), this.trace.close(), this.block.setRate(0)])
    this.#heap?.close()
    this.#garbage.close()
  }

  readonly memory = readMemory
  readonly collectGarbage = collectGarbage
  readonly stacks = readStacks

  garbage() {
    return this.#garbage.figures()
  }

  setHeapGrowth(percent: number): number {
    return this.#growth.set(percent)
  }

  async writeHeapProfile(file: string): Files {
    const path = this.#folder.pathOf(file, '.heapprofile')
    if (this.#heap === undefined) {
      throw new ProfilingError('the heap is not sampled: see the setting profiling.heap-sample')
    }
    return this.#writeByThread(path, await this.#heap.profiles())
  }

  async #setDelayRate(rate: number): Promise<void> {
    await this.#delays?.stop()
    this.#delays = undefined
    if (rate === 0) return
    const meter = new LoopDelayMeter(rate)
    await meter.start()
    this.#delays = meter
  }

  /** The main thread's file has the name that was asked for, the others have theirs in it. */
  async #writeByThread(
    path: string,
    profiles: readonly (readonly [thread: string, profile: object])[],
  ): Files {
    const files: string[] = []
    for (const [thread, profile] of profiles) {
      const dot = path.lastIndexOf('.')
      const file = thread === 'main' ? path : `${path.slice(0, dot)}.${thread}${path.slice(dot)}`
      await this.#folder.write(file, JSON.stringify(profile))
      files.push(file)
    }
    return files
  }

  async #writeJson(path: string, report: object): Files {
    await this.#folder.write(path, `${JSON.stringify(report, undefined, 2)}\n`)
    return [path]
  }

  #orClosing(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#closing.signal])
  }
}
