import { type Connection, call, connect, encodeRequest } from '../connection.ts'
import type { RunningPeer } from './peers.ts'
import { countSuccesses, waitForReceipt } from './receipts.ts'
import { type Kind, signAll, type Workload } from './workload.ts'

export interface Row {
  readonly kind: Kind
  /** The number of transactions in one request. */
  readonly batch: number
  readonly transactions: number
}

export interface Figure extends Row {
  /** The time until every sender had the last response. */
  readonly acceptedPerSecond: number
  /** The time until the last receipt of each sender was served; 0 if they did not come in time. */
  readonly perSecond: number
  /** The CPU time of the server for each transaction, in microseconds. */
  readonly cpuMicroseconds: number | undefined
  /** The number of blocks that were produced for them. */
  readonly blocks: number
  /** The number of transactions that succeeded by their receipts. */
  readonly done: number
  /** The number of responses with an error. */
  readonly refused: number
}

const toRequests = (raws: readonly string[], batch: number): Buffer[] => {
  const requests: Buffer[] = []
  for (let at = 0; at < raws.length; at += batch) {
    const calls = raws
      .slice(at, at + batch)
      .map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] }))
    requests.push(encodeRequest(JSON.stringify(batch === 1 ? calls[0] : calls)))
  }
  return requests
}

const heightOf = async (connection: Connection): Promise<number> =>
  Number(await call<string>(connection, 'eth_blockNumber'))

const errorsIn = (response: string): number => response.split('"error"').length - 1

/** Runs all senders concurrently, each with one connection and one request in flight. */
export const measure = async (
  peer: RunningPeer,
  workload: Workload,
  row: Row,
  timeoutMs: number,
): Promise<Figure> => {
  // New connections for each row, because servers close those that were idle for some seconds.
  const first = await connect(peer.port)
  const count = Math.ceil(row.transactions / workload.senders.length)
  const signed = await signAll(first, workload, row.kind, count)
  const connections: Connection[] = []
  for (const _ of signed) connections.push(await connect(peer.port))
  const requests = signed.map(({ raws }) => toRequests(raws, row.batch))
  const hashes = signed.flatMap((one) => one.hashes)
  const heightBefore = await heightOf(first)
  first.close()
  let refused = 0
  let acceptedAt = 0
  const cpuBefore = peer.cpuMs()
  const startedAt = performance.now()
  const send = async (connection: Connection, index: number): Promise<boolean> => {
    for (const request of requests[index] ?? []) refused += errorsIn(await connection.exchange(request))
    acceptedAt = performance.now()
    const last = signed[index]?.hashes.at(-1) ?? ''
    return waitForReceipt(connection, last, timeoutMs).then(
      () => true,
      () => false,
    )
  }
  const isWhole = (await Promise.all(connections.map(send))).every((served) => served)
  const endedAt = performance.now()
  const cpuAfter = peer.cpuMs()
  const perSecond = (at: number): number => hashes.length / ((at - startedAt) / 1000)
  const last = await connect(peer.port)
  const figure = {
    ...row,
    transactions: hashes.length,
    acceptedPerSecond: perSecond(acceptedAt),
    perSecond: isWhole ? perSecond(endedAt) : 0,
    cpuMicroseconds:
      cpuBefore === undefined || cpuAfter === undefined
        ? undefined
        : ((cpuAfter - cpuBefore) * 1000) / hashes.length,
    blocks: (await heightOf(last)) - heightBefore,
    done: await countSuccesses(last, hashes),
    refused,
  }
  for (const connection of [last, ...connections]) connection.close()
  return figure
}
