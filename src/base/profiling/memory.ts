import { resourceUsage } from 'node:process'
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'
import { ThreadInspector } from './threadInspector.ts'

interface HeapUsage {
  readonly usedSize: number
  readonly totalSize: number
}

/** Returns the memory of the process in bytes, as the system and V8 count it. */
export const readMemory = async () => {
  const inspector = await ThreadInspector.open()
  try {
    const threads = await inspector.queryAll((thread) => thread.post<HeapUsage>('Runtime.getHeapUsage'))
    const { rss, external, arrayBuffers } = process.memoryUsage()
    const heap = getHeapStatistics()
    const { maxRSS, majorPageFault, minorPageFault } = resourceUsage()
    return {
      rss,
      maxRss: maxRSS * 1024,
      external,
      arrayBuffers,
      majorPageFaults: majorPageFault,
      minorPageFaults: minorPageFault,
      heap: {
        used: heap.used_heap_size,
        total: heap.total_heap_size,
        physical: heap.total_physical_size,
        available: heap.total_available_size,
        limit: heap.heap_size_limit,
        malloced: heap.malloced_memory,
        peakMalloced: heap.peak_malloced_memory,
        contexts: heap.number_of_native_contexts,
        detachedContexts: heap.number_of_detached_contexts,
      },
      spaces: Object.fromEntries(
        getHeapSpaceStatistics().map((space) => [
          space.space_name,
          {
            used: space.space_used_size,
            total: space.space_size,
            physical: space.physical_space_size,
            available: space.space_available_size,
          },
        ]),
      ),
      threads: Object.fromEntries(
        threads.map(([name, { usedSize, totalSize }]) => [name, { used: usedSize, total: totalSize }]),
      ),
    }
  } finally {
    inspector.close()
  }
}

/** Runs a full garbage collection in every thread, which returns empty pages to the system. */
export const collectGarbage = async (): Promise<void> => {
  const inspector = await ThreadInspector.open()
  try {
    await inspector.queryAll((thread) => thread.post('HeapProfiler.collectGarbage'))
  } finally {
    inspector.close()
  }
}
