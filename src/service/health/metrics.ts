import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Gauge, type Registry } from 'prom-client'
import { unreadyReasons } from '../chain/findings.ts'
import type { BlockWatch } from './blockWatch.ts'
import type { Readiness } from './readiness.ts'

interface HealthMetricsOptions {
  /** The folder of the node, whose files are measured. */
  readonly home: string
}

interface HealthMetricsDependencies {
  readonly readiness: Pick<Readiness, 'check'>
  readonly blocks: Pick<BlockWatch, 'secondsSinceBlock' | 'clockOffset'>
}

/** What a home keeps, by where it is in it. */
const parts = {
  chain: ['data', 'chain.mdb'],
  calls: ['data', 'calls.mdb'],
  snapshots: ['data', 'snapshots'],
  engine: ['engine', 'data'],
} as const

/** How long the size of a folder is reported again: an engine has many files. */
const folderFreshMs = 60_000

/** Registers the metrics of the health of a node, which are read at each scrape. */
export const registerHealthMetrics = (
  registry: Registry,
  { home }: HealthMetricsOptions,
  { readiness, blocks }: HealthMetricsDependencies,
): void => {
  const registers = [registry]
  new Gauge({
    name: 'perihelion_ready',
    help: 'Whether the node can take requests, as /ready says: 1 or 0',
    registers,
    async collect() {
      this.set((await readiness.check()).length === 0 ? 1 : 0)
    },
  })
  new Gauge({
    name: 'perihelion_not_ready',
    help: 'Whether a reason keeps the node from being ready, by the reason: 1 or 0',
    labelNames: ['reason'],
    registers,
    async collect() {
      const found = new Set((await readiness.check()).map(({ reason }) => reason))
      for (const reason of unreadyReasons) this.set({ reason }, found.has(reason) ? 1 : 0)
    },
  })
  new Gauge({
    name: 'perihelion_last_block_seconds',
    help: 'Time since the newest block arrived, independent of the system clock',
    registers,
    collect() {
      this.set(blocks.secondsSinceBlock())
    },
  })
  new Gauge({
    name: 'perihelion_clock_offset_seconds',
    help: 'How far the local clock is ahead of the clocks of the validators, to a few seconds',
    registers,
    collect() {
      this.set(blocks.clockOffset())
    },
  })
  const measure = Object.entries(parts).map(([part, path]) => [part, remember(join(home, ...path))] as const)
  new Gauge({
    name: 'perihelion_database_bytes',
    help: 'Size of the data in the home, by part',
    labelNames: ['part'],
    registers,
    async collect() {
      for (const [part, size] of measure) this.set({ part }, await size())
    },
  })
}

/** Returns a function that measures a file, or a folder that was not measured for a while. */
const remember = (path: string): (() => Promise<number>) => {
  let size = 0
  let measuredAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - measuredAt < folderFreshMs) return size
    const measured = await measurePath(path)
    if (measured.isFolder) measuredAt = performance.now()
    size = measured.bytes
    return size
  }
}

const measurePath = async (path: string): Promise<{ readonly bytes: number; readonly isFolder: boolean }> => {
  try {
    const found = await stat(path)
    if (!found.isDirectory()) return { bytes: found.size, isFolder: false }
    let bytes = 0
    for (const name of await readdir(path)) bytes += (await measurePath(join(path, name))).bytes
    return { bytes, isFolder: true }
  } catch {
    // What is not there has no size; an engine removes files while they are counted.
    return { bytes: 0, isFolder: false }
  }
}
