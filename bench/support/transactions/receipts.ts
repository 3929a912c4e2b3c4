import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, encodeRequest } from '../connection.ts'

export interface Receipt {
  readonly status: string
  readonly contractAddress: string | null
}

interface Answer {
  readonly result?: Receipt | null
}

const pauseMs = 5
const defaultTimeoutMs = 60_000

const question = (hash: string, id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_getTransactionReceipt',
  params: [hash],
})

/** Asks until the receipt is served. An error is an answer for later: geth has one while its index catches up. */
export const waitForReceipt = async (
  connection: Connection,
  hash: string,
  timeoutMs = defaultTimeoutMs,
): Promise<Receipt> => {
  const request = encodeRequest(JSON.stringify(question(hash, 1)))
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const { result } = JSON.parse(await connection.exchange(request)) as Answer
    if (result) return result
    if (performance.now() > deadline) throw new Error(`no receipt of ${hash} in ${timeoutMs} ms`)
    await sleep(pauseMs)
  }
}

const batchSize = 100

/** How many of the transactions were carried out. */
export const countSuccesses = async (connection: Connection, hashes: readonly string[]): Promise<number> => {
  let count = 0
  for (let at = 0; at < hashes.length; at += batchSize) {
    const batch = hashes.slice(at, at + batchSize).map(question)
    const answers = JSON.parse(await connection.exchange(encodeRequest(JSON.stringify(batch)))) as Answer[]
    count += answers.filter(({ result }) => result?.status === '0x1').length
  }
  return count
}
