/**
 * What the bench measures. A suite (`npm run bench -- <suite>`) is a list of parts, a part has sides (this program, its
 * peers, a floor) and rows, and a row is measured on every side that has it. The runner knows nothing else.
 */

/** The figures that a row may give; the names are those of the results on disk. */
export const figureKinds = {
  rate: { label: 'rate/s', better: 'more' },
  mgas: { label: 'Mgas/s', better: 'more' },
  ms: { label: 'ms', better: 'less' },
  firstMs: { label: 'first ms', better: 'less' },
  p50Ms: { label: 'p50 ms', better: 'less' },
  p99Ms: { label: 'p99 ms', better: 'less' },
  p999Ms: { label: 'p99.9 ms', better: 'less' },
  cpuMicros: { label: 'CPU µs', better: 'less' },
  cpuMs: { label: 'CPU ms', better: 'less' },
  gcShare: { label: 'collector %', better: 'less' },
  v8Micros: { label: 'compiler µs', better: 'less' },
  rssMb: { label: 'RSS MB', better: 'less' },
  bytes: { label: 'bytes', better: 'less' },
  times: { label: '×', better: 'less' },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly better: 'more' | 'less' }>>

export type FigureName = keyof typeof figureKinds

export type Figures = { readonly [name in FigureName]?: number }

/** What a row measured, and a remark for those who read it. */
export interface Measured {
  readonly figures: Figures
  readonly note?: string | undefined
  /** Whether the peer did something else than asked, so that nobody is compared with it. */
  readonly isVoid?: boolean | undefined
}

export interface RunOptions {
  /** Smaller chains, shorter rows and no repetition: it shows that the bench works, and roughly what it would say. */
  readonly isQuick: boolean
  /** Names of the peers that take part. */
  readonly peers: readonly string[]
  /** For how long a row of requests is driven. */
  readonly seconds: number
  /** How often a row is measured at most while neighbours use the machine. */
  readonly maxAttempts: number
  /** How many accounts the large state has; undefined for the usual number. */
  readonly accounts?: number | undefined
  /** Only parts and rows whose name has this text. */
  readonly only: string
}

export type SideKind = 'ours' | 'peer' | 'floor'

/** Someone who is measured. `Stage` is what its rows work on: a running node, a filled store. */
export interface Side<Stage> {
  readonly name: string
  readonly kind: SideKind
  open(): Promise<OpenSide<Stage>>
}

export interface OpenSide<Stage> {
  readonly stage: Stage
  readonly version?: string | undefined
  close(): Promise<void>
}

export interface Row<Stage> {
  readonly name: string
  /** What `rate` counts and what `ms` and the CPU are given for: a request, a transaction. */
  readonly unit: string
  /** The figure by which the sides are compared first. */
  readonly by: FigureName
  /** The numbers of connections at which it is measured; undefined for a row without a load of requests. */
  readonly connections?: readonly number[]
  /** Whether it is measured on this side; on all if undefined. */
  readonly isOn?: (side: Pick<Side<unknown>, 'name' | 'kind'>) => boolean
  /** Whether it changes what later rows see, so that it is never measured again. */
  readonly isOnce?: boolean
  measure(stage: Stage, connections: number): Promise<Measured> | Measured
}

/** A response of a peer that is not ours, after what legitimately differs was taken away. */
export interface Difference {
  readonly row: string
  readonly side: string
  readonly text: string
  /** Whether the peer did not do what was asked: an error, or a response of a fraction of the length. */
  readonly isVoid: boolean
}

export interface Part<Stage> {
  sides(options: RunOptions): Promise<readonly Side<Stage>[]> | readonly Side<Stage>[]
  rows(options: RunOptions): readonly Row<Stage>[]
  /** Compares the responses of the sides before anything is timed. */
  compare?(
    stages: ReadonlyMap<string, { readonly kind: SideKind; readonly stage: Stage }>,
    rows: readonly Row<Stage>[],
  ): Promise<readonly Difference[]>
}
