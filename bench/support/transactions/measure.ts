import { countSuccesses, waitForReceipt } from '../chain/receipts.ts'
import { type Connection, call, connect } from '../load/connection.ts'
import { encodeRequest } from '../load/rawLoad.ts'
import type { Measured } from '../run/part.ts'
import { type Kind, signAll, type Workload } from './workload.ts'

/** A node that transactions are sent to. */
export interface Target {
  readonly port: number
  cpuMs(): number
}

export interface Burst {
  readonly kind: Kind
  /** How many of the senders take part. */
  readonly senders: number
  /** The number of transactions in one request. */
  readonly batch: number
  readonly transactions: number
}

export interface Figure extends Burst {
  /** The time until every sender had the last response. */
  readonly acceptedPerSecond: number
  /** The time until the last receipt of each sender was served; 0 if they did not come in time. */
  readonly perSecond: number
  /** The CPU time of the server for each transaction, in microseconds. */
  readonly cpuMicros: number
  /** The number of blocks that were produced for them. */
  readonly blocks: number
  /** The number of transactions that succeeded by their receipts. */
  readonly done: number
  /** The number of responses with an error. */
  readonly refused: number
}

const pauseMs = 5

/** Returns the requests that send these transactions, so many in each. */
export const toRequests = (raws: readonly string[], batch: number): Buffer[] => {
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

export const errorsIn = (response: string): number => response.split('"error"').length - 1

/** Runs all senders concurrently, each with one connection and one request in flight. */
export const measure = async (
  peer: Target,
  workload: Workload,
  row: Burst,
  timeoutMs: number,
): Promise<Figure> => {
  // New connections for each row, because servers close those that were idle for some seconds.
  const first = await connect(peer.port)
  const count = Math.ceil(row.transactions / row.senders)
  const signed = await signAll(first, workload, { kind: row.kind, count, senders: row.senders })
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
    return waitForReceipt(connection, last, timeoutMs, pauseMs).then(
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
    cpuMicros: ((cpuAfter - cpuBefore) * 1000) / hashes.length,
    blocks: (await heightOf(last)) - heightBefore,
    done: await countSuccesses(last, hashes),
    refused,
  }
  for (const connection of [last, ...connections]) connection.close()
  return figure
}

/** Returns a figure as what a row measured; a row that did not end in time is not compared. */
export const toMeasured = (figure: Figure): Measured => {
  const { perSecond, acceptedPerSecond, cpuMicros, blocks, done, transactions, refused } = figure
  const isWhole = done === transactions && refused === 0 && perSecond > 0
  const note = isWhole
    ? `taken at ${acceptedPerSecond.toFixed(0)}/s, ${blocks} blocks`
    : `${done} of ${transactions} done, ${refused} rejected, not all in time`
  return { figures: { rate: perSecond, cpuMicros }, note, ...(isWhole ? {} : { isVoid: true }) }
}
