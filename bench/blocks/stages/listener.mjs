// Loaded into every thread of a node before the program (`--import`): sums up what the stages of transactions take, and
// writes it with the CPU time of the thread to a file of its own in the folder that its address names.
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

const folder = new URL(import.meta.url).searchParams.get('folder')
const file = join(folder, `${threadId}.json`)
const totals = new Map()
let isChanged = false

subscribe('perihelion:stage', ({ stage, kind, milliseconds, transactions }) => {
  const key = `${stage}/${kind}`
  const total = totals.get(key) ?? { stage, kind, times: 0, milliseconds: 0, transactions: 0 }
  total.times++
  total.milliseconds += milliseconds
  total.transactions += transactions
  totals.set(key, total)
  isChanged = true
})

/** The time on a CPU of this thread alone, in milliseconds (Documentation/scheduler/sched-stats). */
const cpuMs = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6

setInterval(() => {
  if (!isChanged) return
  isChanged = false
  // Whoever reads it sees a whole file.
  writeFileSync(`${file}.new`, JSON.stringify({ cpuMs: cpuMs(), totals: [...totals.values()] }))
  renameSync(`${file}.new`, file)
}, 100).unref()
