import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkNode } from './testnet.ts'

/** Questions to the nodes of a network and to their engines. */

const answerMs = 60_000

/** The answer as it came, so that two of them can be compared byte by byte. */
export const postText = async (url: string, body: string): Promise<string> => {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(answerMs),
  })
  return reply.text()
}

export const call = async <T>(
  { http }: Pick<NetworkNode, 'http'>,
  method: string,
  ...params: readonly unknown[]
): Promise<T> => {
  const text = await postText(http, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const { result, error } = JSON.parse(text) as { result?: T; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result as T // a result where there is no error
}

/** A call of CometBFT's own RPC. */
export const askEngine = async <T>(
  { rpc }: Pick<NetworkNode, 'rpc'>,
  method: string,
  params: object = {},
): Promise<T> => {
  const text = await postText(rpc, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const { result, error } = JSON.parse(text) as { result?: T; error?: { data?: string; message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.data ?? error.message}`)
  return result as T // a result where there is no error
}

export const heightOf = async (node: NetworkNode): Promise<number> =>
  Number(await call<string>(node, 'eth_blockNumber'))

const pollMs = 50

/** Waits until the node is at least at a height. */
export const waitForHeight = async (node: NetworkNode, height: number): Promise<void> => {
  while ((await heightOf(node)) < height) await sleep(pollMs)
}

export interface Receipt {
  readonly blockNumber: string
  readonly blockHash: string
  readonly transactionHash: string
  readonly status: string
}

/** Waits until a transaction is in a block. */
export const receiptOf = async (node: NetworkNode, hash: string): Promise<Receipt> => {
  for (;;) {
    const receipt = await call<Receipt | null>(node, 'eth_getTransactionReceipt', hash)
    if (receipt !== null) return receipt
    await sleep(pollMs)
  }
}
