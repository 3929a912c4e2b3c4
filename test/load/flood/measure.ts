import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { sendHttp } from '../../support/clients.ts'

/** The latencies of cheap reads in milliseconds. */
export interface ProbeResult {
  readonly latencies: readonly number[]
  readonly failures: number
}

/** Asks cheap questions from another process until `stop` is called. */
export const startProbe = async (url: string): Promise<{ stop(): Promise<ProbeResult> }> => {
  const child = fork(fileURLToPath(new URL('probe.ts', import.meta.url)), [url], {
    execArgv: ['--import', 'tsx'],
  })
  await once(child, 'message')
  return {
    stop: async () => {
      const result = once(child, 'message') as Promise<[ProbeResult]>
      child.send('stop')
      return (await result)[0]
    },
  }
}

/** Returns the value below which this share of the numbers is. */
export const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ??
  Number.NaN

/** Returns the memory of a process in megabytes: now, or the most that it ever had. */
export const memoryOf = (pid: number | undefined, what: 'VmRSS' | 'VmHWM' | 'RssAnon'): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`^${what}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1000)
}

/** Returns the sum of the series of a metric whose line matches. */
export const readMetric = async (http: string, series: RegExp): Promise<number> => {
  const { body } = await sendHttp(http, { method: 'GET', path: '/metrics' })
  return body
    .split('\n')
    .filter((line) => series.test(line))
    .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0)
}

/** Watches the times between blocks in milliseconds. */
export const watchBlocks = async (ws: string): Promise<{ stop(): readonly number[] }> => {
  const socket = new WebSocket(ws)
  await once(socket, 'open')
  const intervals: number[] = []
  let last: number | undefined
  socket.on('message', (data) => {
    if (!String(data).includes('eth_subscription')) return
    const now = performance.now()
    if (last !== undefined) intervals.push(now - last)
    last = now
  })
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
  return {
    stop: () => {
      socket.terminate()
      return intervals
    },
  }
}
