import { isMainThread } from 'node:worker_threads'
import { withAnySignal } from '../abort.ts'
import { sleep } from '../async/sleep.ts'
import { CpuSampling } from './cpuProfile.ts'
import { EventLoopDelayMonitor } from './eventLoopDelay.ts'
import { GcStats, HeapGrowthTarget } from './gcStats.ts'
import { HeapSampling } from './heapSampling.ts'
import type { LockWaitStats } from './lockWaitStats.ts'
import { collectGarbage, readMemory } from './memory.ts'
import { ProfileFolder } from './profileFolder.ts'
import { ProfilingError } from './profilingError.ts'
import { Recorder } from './recorder.ts'
import { readStacks } from './stacks.ts'
import { TraceRecording } from './traceEvents.ts'

export interface DiagnosticsOptions {
  readonly home: string
  /** The number of bytes between two samples of the heap; 0 for no sampling. */
  readonly heapSample: number
}

type Files = Promise<readonly string[]>

/** The diagnostics of the process: statistics, and profiles that are written to files in the home. */
export class ProcessDiagnostics {
  readonly #options: DiagnosticsOptions
  readonly #waits: LockWaitStats
  readonly #folder: ProfileFolder
  readonly #gcStats = new GcStats()
  readonly #heapGrowth = new HeapGrowthTarget()
  readonly #closing = new AbortController()
  #heap: HeapSampling | undefined
  #delays: EventLoopDelayMonitor | undefined
  #rateChange: Promise<void> = Promise.resolve()

  readonly cpu = new Recorder('CPU profiling', async (file) => {
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

  readonly trace = new Recorder('trace', async (file) => {
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
      // Serial, because of two monitors at a time one would never be stopped.
      this.#rateChange = this.#rateChange.then(() => this.#setDelayRate(rate))
      return this.#rateChange
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
      const monitor = new EventLoopDelayMonitor(1)
      await monitor.start()
      try {
        await this.#sleep(ms, signal)
        return await this.#writeJson(path, await monitor.report())
      } finally {
        await monitor.stop()
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
      await this.#sleep(ms, signal)
      return this.#writeJson(path, end())
    },
  }

  constructor(options: DiagnosticsOptions, waits: LockWaitStats) {
    this.#options = options
    this.#waits = waits
    this.#folder = new ProfileFolder(options.home)
  }

  async start(): Promise<void> {
    const { heapSample } = this.#options
    // A node within a worker thread, as in a test runner: the inspector of threads is for the main thread alone.
    if (heapSample > 0 && isMainThread) this.#heap = await HeapSampling.start(heapSample)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([this.cpu.close(), this.trace.close(), this.block.setRate(0)])
    this.#heap?.close()
    this.#gcStats.close()
  }

  readonly memory = readMemory
  readonly collectGarbage = collectGarbage
  readonly stacks = readStacks

  garbage() {
    return this.#gcStats.stats()
  }

  setHeapGrowth(percent: number): number {
    return this.#heapGrowth.set(percent)
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
    const monitor = new EventLoopDelayMonitor(rate)
    await monitor.start()
    this.#delays = monitor
  }

  /**
   * Writes a file for each thread. That of the main thread has the requested name; the names of the others include
   * the thread.
   */
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

  /** Resolves after `ms` milliseconds, or when the caller leaves or the process ends. */
  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return withAnySignal([signal, this.#closing.signal], (ended) => sleep(ms, ended))
  }
}
