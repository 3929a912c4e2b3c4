// Loaded into every thread of the measured server before its program: tells when blocks were committed, how long the
// event loop stood still, and how much memory is in use.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads'

const now = () => Number(process.hrtime.bigint()) / 1e6
const resolution = 5

if (isMainThread) {
  const commits = new Map()
  const channel = new BroadcastChannel('commits')
  channel.onmessage = ({ data: { number, at } }) => commits.set(number, at)
  channel.unref()
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  process.on('message', (question) => {
    if (question === 'begin') delay.reset()
    process.send({
      commits: [...commits],
      stallMs: { max: delay.max / 1e6 - resolution, p99: delay.percentile(99) / 1e6 - resolution },
      memory: process.memoryUsage(),
      cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1000,
    })
  })
} else if (workerData?.worker === 'application') {
  const { Application } = await import('../../dist/inside/application.js')
  const channel = new BroadcastChannel('commits')
  channel.unref()
  const { commit } = Application.prototype
  Application.prototype.commit = async function (...args) {
    const head = await commit.apply(this, args)
    channel.postMessage({ number: Number(head.header.number), at: now() })
    return head
  }
}
