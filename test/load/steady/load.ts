import { setTimeout as sleep } from 'node:timers/promises'
import { recipient, signCall } from '../../../bench/support/chain/signing.ts'
import { type Connection, call, connect } from '../../../bench/support/load/connection.ts'
import { encodeRequest } from '../../../bench/support/load/rawLoad.ts'
import type { Workload } from '../../../bench/support/transactions/workload.ts'

/** Transfers of all senders at a rate, signed as they are sent, so that a run may be as long as one likes. */
export interface SteadyLoad {
  /** How many a second are sent; as many as are taken if undefined. */
  readonly rate: number | undefined
  readonly seconds: number
  /** Learns of a transaction that was just taken: the last one of each request. */
  onTaken?(hash: string, sentAt: number): void
}

const connections = 8
const batch = 100

interface Lane {
  readonly connection: Connection
  readonly senders: readonly { readonly account: Workload['senders'][number]; nonce: number }[]
}

const sendBatch = async (lane: Lane, turn: number, onTaken: SteadyLoad['onTaken']): Promise<void> => {
  const signed = Array.from({ length: batch }, (_, index) => {
    const sender = lane.senders[index % lane.senders.length] as Lane['senders'][number]
    const to = recipient(turn * batch + index)
    return signCall(sender.account, sender.nonce++, { gasLimit: 21_000n, to, value: 1n })
  })
  const calls = signed.map(({ raw }, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_sendRawTransaction',
    params: [raw],
  }))
  const sentAt = performance.now()
  const answer = await lane.connection.exchange(encodeRequest(JSON.stringify(calls)))
  if (answer.includes('"error"')) throw new Error(`refused: ${answer.slice(0, 300)}`)
  onTaken?.(signed.at(-1)?.hash ?? '', sentAt)
}

const openLanes = async (port: number, { senders }: Workload): Promise<readonly Lane[]> =>
  Promise.all(
    Array.from({ length: connections }, async (_, lane): Promise<Lane> => {
      const connection = await connect(port)
      const own = senders.filter((_account, index) => index % connections === lane)
      const counts: Lane['senders'][number][] = []
      for (const account of own)
        counts.push({
          account,
          nonce: Number(
            await call<string>(connection, 'eth_getTransactionCount', account.address, 'pending'),
          ),
        })
      return { connection, senders: counts }
    }),
  )

/** Sends for as long as asked; returns how many were taken. */
export const sendSteadily = async (port: number, workload: Workload, load: SteadyLoad): Promise<number> => {
  const lanes = await openLanes(port, workload)
  const startedAt = performance.now()
  const endsAt = startedAt + load.seconds * 1000
  let batches = 0
  try {
    await Promise.all(
      lanes.map(async (lane) => {
        for (;;) {
          const turn = batches++
          const due = load.rate === undefined ? 0 : startedAt + (turn * batch * 1000) / load.rate
          if (due >= endsAt || performance.now() >= endsAt) return batches--
          if (due > performance.now()) await sleep(due - performance.now())
          await sendBatch(lane, turn, load.onTaken)
        }
      }),
    )
  } finally {
    for (const { connection } of lanes) connection.close()
  }
  return batches * batch
}
