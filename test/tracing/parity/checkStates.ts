import type { RpcClient } from '../../support/rpc/rpcClient.ts'
import { joinChanges } from './checkState.ts'
import type { Replayed } from './types.ts'

/** Checks that the changes of a block's transactions lead from the state before the block to the one after it. */
export const checkStates = async (
  client: RpcClient,
  number: number,
  replayed: readonly Replayed[],
): Promise<readonly string[]> => {
  const { changes, wrong } = joinChanges(replayed.map(({ stateDiff }) => stateDiff))
  const places = [...changes]
  const calls = places.flatMap(([place]) =>
    [number - 1, number].map((height) => readOf(place, `0x${height.toString(16)}`)),
  )
  const values: unknown[] = []
  for (let at = 0; at < calls.length; at += maxBatch)
    values.push(...(await client.batch(calls.slice(at, at + maxBatch))))
  for (const [index, [place, ends]] of places.entries()) {
    const [before, after] = values.slice(2 * index, 2 * index + 2)
    const none = emptyAt(place)
    if (before !== (ends.from ?? none) || after !== (ends.to ?? none))
      wrong.push(`block ${number}, ${place}: ${before} to ${after}, told ${JSON.stringify(ends)}`)
  }
  return wrong
}

const maxBatch = 500

/** The call that reads what a place of the state holds. */
const readOf = (place: string, block: string): { method: string; params: readonly unknown[] } => {
  const [address, name] = place.split(' ') as [string, string]
  if (name === 'balance') return { method: 'eth_getBalance', params: [address, block] }
  if (name === 'nonce') return { method: 'eth_getTransactionCount', params: [address, block] }
  if (name === 'code') return { method: 'eth_getCode', params: [address, block] }
  return { method: 'eth_getStorageAt', params: [address, name, block] }
}

const emptyAt = (place: string): string => {
  const [, name = ''] = place.split(' ')
  if (name === 'code') return '0x'
  return name.startsWith('0x') ? `0x${'00'.repeat(32)}` : '0x0'
}
