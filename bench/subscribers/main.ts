import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Progress, Report } from './clients.ts'
import { type ClientProcess, type Server, startClients, startServer } from './processes.ts'

/**
 * Ten thousand WebSocket subscribers on one machine, a tenth of which never read. Those get floods of logs, one group
 * after the other, until the server has cut them off: a group at a time, since the kernel holds 4 MB for each of them.
 * All others must hear of every block, and every tenth of them of every tick, in order and without a gap.
 */
const { values: options } = parseArgs({
  options: {
    subscribers: { type: 'string', default: '10000' },
    groups: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '30' },
    'block-time': { type: 'string', default: '500ms' },
    backlog: { type: 'string', default: '256KB' },
  },
})
const targets = { rssMegabytes: 400, stallMs: 100, p99Ms: 1000 }

/** Soft and hard limit of this process; `unlimited` is as many as are wanted. */
const [, , hardLimit] = /^Max open files +(\S+) +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
const openFiles = Number(hardLimit) || 1e6
const subscribers = Math.min(Number(options.subscribers), openFiles - 500)
if (subscribers < Number(options.subscribers)) {
  console.log(`only ${subscribers} subscribers: the limit of open files is ${openFiles}`)
}
const groups = Number(options.groups)
const seconds = Number(options.seconds)
const processes = 2
const neglectingPerGroup = Math.floor(subscribers / 10 / groups / processes)
const livePerProcess = Math.floor(subscribers / processes) - neglectingPerGroup * groups

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const word = (value: number): string => value.toString(16).padStart(64, '0')
/** Logs zero bytes, as many as the first word of its input says, under the second word: LOG1 of fresh memory. */
const flood = '6020356000356000a100'
/** Logs the second word of its input under the first. */
const tick = '6020602060003760003560206000a100'
const deployment = (runtime: string): string => {
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  return `0x60${size}600c60003960${size}6000f3${runtime}`
}
const tickTopic = `0x${word(0xabc)}`
const floodTopics = Array.from({ length: groups }, (_, group) => `0x${word(group + 1)}`)
/** Twice as many as text. */
const floodBytes = 400_000
/** Enough for what the kernel holds for a socket, and the backlog on top of it. */
const floodsPerGroup = 8

const rpc = async <T>(port: number, method: string, ...params: unknown[]): Promise<T> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

const deploy = async (port: number, from: string, runtime: string): Promise<string> => {
  const hash = await rpc<string>(port, 'eth_sendTransaction', {
    from,
    data: deployment(runtime),
    gas: '0x30d40',
  })
  for (;;) {
    const receipt = await rpc<{ contractAddress: string } | null>(port, 'eth_getTransactionReceipt', hash)
    if (receipt !== null) return receipt.contractAddress
    await sleep(100)
  }
}

/** The server's own count of the readers that it cut off. */
const readersCut = async (port: number): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/perihelion_rpc_rejected_total\{reason="backlog"\} (\d+)/.exec(text)?.[1] ?? 0)
}

/** Ticks all the time, floods for one group after the other. Gives the number of ticks. */
const makeTraffic = async (port: number, until: number): Promise<number> => {
  const [floodAt, tickAt] = [await deploy(port, alice, flood), await deploy(port, bob, tick)]
  const began = performance.now()
  let ticks = 0
  const floods = new Array<number>(groups).fill(0)
  let lastFlood = 0
  while (performance.now() < until) {
    const data = `${tickTopic}${word(++ticks)}`
    await rpc(port, 'eth_sendTransaction', { from: bob, to: tickAt, data, gas: '0xc350' })
    const elapsed = (performance.now() - began) / (until - began)
    const group = Math.min(groups - 1, Math.floor(elapsed * groups))
    const sent = floods[group] ?? 0
    if (sent < floodsPerGroup && performance.now() - lastFlood > 300) {
      lastFlood = performance.now()
      floods[group] = sent + 1
      const input = `0x${word(floodBytes)}${word(group + 1)}`
      await rpc(port, 'eth_sendTransaction', { from: alice, to: floodAt, data: input, gas: '0x989680' })
    }
    await sleep(100)
  }
  return ticks
}

const isEveryoneAt = async (clients: readonly ClientProcess[], height: number): Promise<boolean> => {
  const progress = await Promise.all(clients.map((client) => client.ask<Progress>({ kind: 'progress' })))
  return progress.every(({ lowest }) => lowest >= height)
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

const measure = async (server: Server, clients: readonly ClientProcess[]): Promise<void> => {
  const { httpPort, wsPort } = server
  const idle = server.residentBytes()
  const openedAt = performance.now()
  await Promise.all(
    clients.map((client) =>
      client.ask({
        kind: 'open',
        port: wsPort,
        live: livePerProcess,
        neglecting: neglectingPerGroup,
        floodTopics,
        tickTopic,
      }),
    ),
  )
  const opened = server.residentBytes()
  console.log(
    `${livePerProcess * processes} live and ${neglectingPerGroup * groups * processes} that never read, connected in ` +
      `${((performance.now() - openedAt) / 1000).toFixed(1)} s; RSS ${megabytes(idle.all)} before, ${megabytes(opened.all)} after`,
  )
  const before = { ...(await server.begin()), ...server.scheduled() }
  let peak = opened
  const watch = setInterval(() => {
    const now = server.residentBytes()
    if (now.all > peak.all) peak = now
  }, 200)
  const ticks = await makeTraffic(httpPort, performance.now() + seconds * 1000)
  const height = Number(await rpc(httpPort, 'eth_blockNumber'))
  const deadline = performance.now() + 20_000
  while (!(await isEveryoneAt(clients, height)) && performance.now() < deadline) await sleep(100)
  clearInterval(watch)
  const { commits, stallMs, memory, cpuMs } = await server.report()
  const { ranMs, waitedMs } = server.scheduled()
  const reports = await Promise.all(clients.map((client) => client.ask<Report>({ kind: 'report', commits })))

  const sum = (of: (report: Report) => number): number =>
    reports.reduce((total, report) => total + of(report), 0)
  const latencies = reports.flatMap((report) => report.latencies).sort((a, b) => a - b)
  const percentile = (share: number): number =>
    latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN
  const faults = reports.flatMap((report) => report.faults)
  const isComplete = await isEveryoneAt(clients, height)
  const cut = await readersCut(httpPort)
  const verdict = (isMet: boolean): string => (isMet ? 'met' : 'MISSED')
  console.log(`${sum((r) => r.events)} heads and ${sum((r) => r.ticks)} logs delivered, ${ticks} ticks sent`)
  console.log(`gaps and disorder: ${faults.length === 0 ? 'none' : faults.join('; ')}`)
  console.log(`every live one has every block: ${isComplete}; live ones closed: ${sum((r) => r.closed)}`)
  console.log(`cut off for not reading: ${cut} of ${neglectingPerGroup * groups * processes}`)
  console.log(
    `commit to delivery: p50 ${percentile(0.5).toFixed(0)} ms, p99 ${percentile(0.99).toFixed(0)} ms, ` +
      `max ${percentile(1).toFixed(0)} ms; target p99 ${targets.p99Ms} ms: ${verdict(percentile(0.99) <= targets.p99Ms)}`,
  )
  console.log(
    `server: RSS ${megabytes(peak.all)} at most (${megabytes(peak.own)} its own, the rest mapped files; heap ${megabytes(memory.heapUsed)}, buffers ${megabytes(memory.external)}); ` +
      `target ${targets.rssMegabytes} MB: ${verdict(peak.all <= targets.rssMegabytes * 1e6)}`,
  )
  console.log(
    `server: event loop stalls p99 ${stallMs.p99.toFixed(0)} ms, max ${stallMs.max.toFixed(0)} ms; ` +
      `target ${targets.stallMs} ms: ${verdict(stallMs.max <= targets.stallMs)}`,
  )
  // Where it had to wait for a processor, stalls and delays are the machine's as much as the server's.
  console.log(
    `server: CPU ${((cpuMs - before.cpuMs) / 1000).toFixed(1)} s; its main thread ran ` +
      `${((ranMs - before.ranMs) / 1000).toFixed(1)} s and waited ${((waitedMs - before.waitedMs) / 1000).toFixed(1)} s for a processor`,
  )
}

const home = mkdtempSync(join(tmpdir(), 'perihelion-bench-'))
const server = await startServer([
  ...['--home', home, '--json-rpc.address=127.0.0.1:0', '--json-rpc.ws-address=127.0.0.1:0'],
  ...[`--block-time=${options['block-time']}`, `--json-rpc.ws-max-backlog=${options.backlog}`],
])
const clients = Array.from({ length: processes }, startClients)
try {
  await measure(server, clients)
} finally {
  for (const client of clients) client.stop()
  await server.stop()
  rmSync(home, { recursive: true, force: true })
}
