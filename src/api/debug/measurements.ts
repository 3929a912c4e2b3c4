import type { RootLogger } from '../../base/logging/log.ts'

/** Resolves to the paths of the written files, that of the main thread first. */
type Files = Promise<readonly string[]>

/** Measures for a time and writes a file. If the signal aborts first, it writes what was measured until then. */
interface Timed {
  measure(file: string, milliseconds: number, signal: AbortSignal): Files
}

interface Recording extends Timed {
  start(file: string): Promise<void>
  stop(): Files
}

interface SampledProfile extends Timed {
  /** Sets the rate; 0 turns the measurement off. */
  setRate(rate: number): Promise<void>
  write(file: string): Files
}

/** The diagnostics of the process. They throw `ProfilingError` for errors that the operator can resolve. */
export interface Diagnostics {
  readonly cpu: Recording
  readonly trace: Recording
  readonly block: SampledProfile
  readonly mutex: SampledProfile
  memory(): Promise<object>
  garbage(): object
  collectGarbage(): Promise<void>
  /** Sets the growth in percent (-1 for the default of the runtime) and returns the previous value. */
  setHeapGrowth(percent: number): number
  stacks(filter?: string): Promise<string>
  writeHeapProfile(file: string): Files
}

export type LogControl = Pick<RootLogger, 'setVerbosity' | 'setComponentLevels'>
