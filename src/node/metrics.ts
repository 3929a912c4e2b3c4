import { Gauge, type Registry } from 'prom-client'
import type { DiskStats } from './writeGate.ts'

/** Registers the metrics of the disk, which are read at each scrape. */
export const registerDiskMetrics = (registry: Registry, stats: () => DiskStats): void => {
  const gauge = (name: string, help: string, read: (stats: DiskStats) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read(stats()))
      },
    })
  }
  gauge('perihelion_disk_free_bytes', 'Free space on the disk of the data', ({ freeBytes }) => freeBytes)
  gauge(
    'perihelion_disk_needed_bytes',
    'Free space below which nothing is written',
    ({ neededBytes }) => neededBytes,
  )
  gauge('perihelion_disk_low', 'Whether writing is paused because the disk is nearly full', ({ isLow }) =>
    isLow ? 1 : 0,
  )
}
