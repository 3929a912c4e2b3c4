import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../load/connection.ts'
import { encodeRequest } from '../load/rawLoad.ts'

export interface Receipt {
  readonly status: string
  readonly blockNumber: string
  readonly blockHash: string
  readonly contractAddress: string | null
}

interface Response {
  readonly result?: Receipt | null
}

const defaultTimeoutMs = 60_000
/** Short where one waits; many who wait at once would be a load of their own. */
const defaultPauseMs = 1

const toReceiptRequest = (hash: string, id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_getTransactionReceipt',
  params: [hash],
})

/** Polls until the receipt is served. An error is retried, because geth returns one while its index catches up. */
export const waitForReceipt = async (
  connection: Connection,
  hash: string,
  timeoutMs = defaultTimeoutMs,
  pauseMs = defaultPauseMs,
): Promise<Receipt> => {
  const request = encodeRequest(JSON.stringify(toReceiptRequest(hash, 1)))
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const { result } = JSON.parse(await connection.exchange(request)) as Response
    if (result) return result
    if (performance.now() > deadline) throw new Error(`no receipt of ${hash} in ${timeoutMs} ms`)
    await sleep(pauseMs)
  }
}

const batchSize = 100

/** Returns the number of transactions that succeeded. */
export const countSuccesses = async (connection: Connection, hashes: readonly string[]): Promise<number> => {
  let count = 0
  for (let at = 0; at < hashes.length; at += batchSize) {
    const batch = hashes.slice(at, at + batchSize).map(toReceiptRequest)
    const responses = JSON.parse(
      await connection.exchange(encodeRequest(JSON.stringify(batch))),
    ) as Response[]
    count += responses.filter(({ result }) => result?.status === '0x1').length
  }
  return count
}
