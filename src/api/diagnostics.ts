import type { RootLogger } from '../base/log.ts'

/** Gives the files that were written, that of the main thread first. */
type Files = Promise<readonly string[]>

/** What is measured for a time and then written; when the signal comes first, as much as there is by then. */
interface Timed {
  measure(file: string, milliseconds: number, signal: AbortSignal): Files
}

interface Recording extends Timed {
  start(file: string): Promise<void>
  stop(): Files
}

interface SampledProfile extends Timed {
  /** 0 turns it off. */
  setRate(rate: number): Promise<void>
  write(file: string): Files
}

/** The instruments of the process. They throw `ProfilingError` where the operator can put it right. */
export interface Diagnostics {
  readonly cpu: Recording
  readonly trace: Recording
  readonly block: SampledProfile
  readonly mutex: SampledProfile
  memory(): Promise<object>
  garbage(): object
  collectGarbage(): Promise<void>
  /** Percent, -1 for the runtime's own choice; gives what held before. */
  setHeapGrowth(percent: number): number
  stacks(filter?: string): Promise<string>
  writeHeapProfile(file: string): Files
}

export type LogControl = Pick<RootLogger, 'setVerbosity' | 'setComponentLevels'>
