import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setUp } from '../../support/chain/accounts.ts'
import { waitForReceipt } from '../../support/chain/receipts.ts'
import { signCall, word } from '../../support/chain/signing.ts'
import { type Connection, call, connect } from '../../support/load/connection.ts'
import { median } from '../../support/load/percentile.ts'
import { type RunningNode, startNode } from '../../support/peers/runningNode.ts'
import type { Measured, Row, RunOptions, Side } from '../../support/run/part.ts'
import { definePart } from '../../support/run/runPart.ts'
import { askClients, startClients } from './clientProcess.ts'
import type { ClientCommand, Report } from './clients.ts'

const clientsFile = fileURLToPath(new URL('clients.ts', import.meta.url))
const processes = 2

interface SubscribersStage {
  readonly node: RunningNode
  readonly clients: readonly ChildProcess[]
  /** The contract that logs its second word under its first. */
  readonly contract: string
  nonce: number
  ticks: number
}

const topic = `0x${word(0xabc)}`
/** CALLDATACOPY of the second word, LOG1 of it under the first. */
const tickCode = '0x6010600c60003960106000f36020602060003760003560206000a100'

const ask = <T>(child: ChildProcess, command: ClientCommand): Promise<T> => askClients(child, command)

const openStage = async (name: string): Promise<SubscribersStage> => {
  const node = await startNode(name, { isWide: true })
  const connection = await connect(node.port)
  const { raw, hash } = signCall(setUp, 0, { gasLimit: 200_000n, to: undefined, data: tickCode })
  await call(connection, 'eth_sendRawTransaction', raw)
  const { contractAddress } = await waitForReceipt(connection, hash)
  connection.close()
  const clients = Array.from({ length: processes }, () => startClients(clientsFile))
  return { node, clients, contract: contractAddress ?? '', nonce: 1, ticks: 0 }
}

const createSide = (name: string): Side<SubscribersStage> => ({
  name,
  kind: name === 'perihelion' ? 'ours' : 'peer',
  open: async () => {
    const stage = await openStage(name)
    return {
      stage,
      version: stage.node.version,
      close: async () => {
        for (const client of stage.clients) client.disconnect()
        await stage.node.stop()
      },
    }
  },
})

const timeoutMs = 60_000

/** Sends a transaction with a log; returns what the clients say when all have heard of it, and when it was sent. */
const tickOnce = async (stage: SubscribersStage, connection: Connection, live: number) => {
  const tick = ++stage.ticks
  const data = `${topic}${word(tick)}`
  const signed = signCall(setUp, stage.nonce++, { gasLimit: 60_000n, to: stage.contract, data })
  const sentAt = Number(process.hrtime.bigint()) / 1e6
  await call(connection, 'eth_sendRawTransaction', signed.raw)
  for (;;) {
    const reports = await Promise.all(
      stage.clients.map((client) => ask<Report>(client, { kind: 'report', tick })),
    )
    const sum = (of: (report: Report) => number): number => reports.reduce((total, one) => total + of(one), 0)
    const last = Math.max(...reports.flatMap(({ lastTickAt, lastHeadAt }) => [lastTickAt, lastHeadAt]))
    const isWhole = sum(({ ticked }) => ticked) >= live && sum(({ informed }) => informed) >= live
    if (isWhole) return { ms: last - sentAt, faults: sum(({ faults }) => faults) }
    if (Number(process.hrtime.bigint()) / 1e6 - sentAt > timeoutMs)
      throw new Error(`${live - sum(({ ticked }) => ticked)} of ${live} did not hear of a log in time`)
    await sleep(5)
  }
}

const measureDelivery = async (
  stage: SubscribersStage,
  { live, neglecting, rounds }: { live: number; neglecting: number; rounds: number },
): Promise<Measured> => {
  const { node, clients } = stage
  const share = (count: number): number => count / processes
  const idleMb = node.rssMb()
  await Promise.all(
    clients.map((client) =>
      ask(client, { kind: 'open', port: node.port, live: share(live), neglecting: share(neglecting), topic }),
    ),
  )
  const connection = await connect(node.port)
  try {
    await tickOnce(stage, connection, live)
    const cpuBefore = node.cpuMs()
    const ticks: Awaited<ReturnType<typeof tickOnce>>[] = []
    for (let round = 0; round < rounds; round++) {
      ticks.push(await tickOnce(stage, connection, live))
      await sleep(100)
    }
    const cpuMicros = ((node.cpuMs() - cpuBefore) * 1000) / (rounds * (live + neglecting) * 2)
    const faults = ticks.at(-1)?.faults ?? 0
    const note = `${(node.rssMb() - idleMb).toFixed(0)} MB more than idle`
    return {
      figures: { ms: median(ticks.map(({ ms }) => ms)), cpuMicros, rssMb: node.rssMb() },
      note: faults === 0 ? note : `${note}; ${faults} gaps or disorders`,
    }
  } finally {
    connection.close()
    await Promise.all(clients.map((client) => ask(client, { kind: 'close' })))
  }
}

/** Sockets that this machine lets a process have; some are left for the rest. */
const mostSockets = (): number => {
  const [, hard] = /^Max open files +\S+ +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return (Number(hard) || 1e6) - 500
}

const rows = ({ isQuick }: RunOptions): Row<SubscribersStage>[] => {
  const rounds = isQuick ? 2 : 20
  const counts = isQuick ? [100] : [1_000, 10_000].filter((count) => count < mostSockets())
  const most = counts.at(-1) ?? 0
  const neglecting = most / 10
  return [
    ...counts.map(
      (live): Row<SubscribersStage> => ({
        name: `newHeads and logs to ${live.toLocaleString('en')} subscribers, last delivery`,
        unit: 'notification',
        by: 'ms',
        measure: (stage) => measureDelivery(stage, { live, neglecting: 0, rounds }),
      }),
    ),
    {
      name: `the same with ${neglecting.toLocaleString('en')} more that never read`,
      unit: 'notification',
      by: 'ms',
      isOn: ({ kind }) => kind === 'ours',
      measure: (stage) => measureDelivery(stage, { live: most, neglecting, rounds }),
    },
  ]
}

/** Subscriptions over WebSocket, from the sending of a transaction until the last subscriber has its block and its log. */
export const part = definePart<SubscribersStage>({
  sides: ({ peers }) =>
    ['perihelion', ...peers.filter((name) => name === 'anvil' || name === 'geth')].map(createSide),
  rows,
})
