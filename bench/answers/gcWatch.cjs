// Loaded into a node before its program: writes the milliseconds that the collector has stopped the main thread for, again
// and again, to the file that BENCH_GC_FILE names.
const { writeFileSync } = require('node:fs')
const { PerformanceObserver } = require('node:perf_hooks')
const { isMainThread } = require('node:worker_threads')

const file = process.env.BENCH_GC_FILE
if (isMainThread && file !== undefined) {
  let total = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) total += duration
  }).observe({ entryTypes: ['gc'] })
  setInterval(() => writeFileSync(file, String(total)), 100).unref()
}
