import type { Measured, Side } from './part.ts'

/** A side that is this process itself: functions of this program, called directly. */
export const ownSide = <Stage>(
  open: () => Promise<Stage> | Stage,
  close: (stage: Stage) => Promise<void> | void = () => {},
): Side<Stage> => ({
  name: 'perihelion',
  kind: 'ours',
  open: async () => {
    const stage = await open()
    return { stage, close: async () => close(stage) }
  },
})

export interface Timing {
  readonly wallMs: number
  /** CPU of all threads of this process. */
  readonly cpuMs: number
}

export const timed = async (work: () => Promise<unknown> | unknown): Promise<Timing> => {
  const cpu = process.cpuUsage()
  const start = performance.now()
  await work()
  const wallMs = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { wallMs, cpuMs: (user + system) / 1000 }
}

/** Returns the figures of work that did something so many times. */
export const perUnit = ({ wallMs, cpuMs }: Timing, count: number, note?: string): Measured => ({
  figures: { rate: (count * 1000) / wallMs, cpuMicros: (cpuMs * 1000) / count },
  note,
})
