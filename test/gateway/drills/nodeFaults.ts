import type { Faults } from '../replay/server/injectedFaults.ts'
import { RpcError } from '../replay/server/rpc.ts'

interface ToldResult {
  gas_used?: string
  value?: string
}

/** Says more gas of each transaction, and other values of states. */
const lie = (method: string, result: unknown): unknown => {
  if (method !== 'NewBlock' && method !== 'block_results' && method !== 'abci_query') return result
  return JSON.parse(JSON.stringify(result), (key, value: unknown) => {
    if (typeof value !== 'object' || value === null || (key !== 'response' && !('gas_used' in value)))
      return value
    const told = value as ToldResult
    if (told.gas_used !== undefined) return { ...told, gas_used: String(Number(told.gas_used) + 1) }
    return typeof told.value === 'string' ? { ...told, value: `AAAA${told.value}` } : told
  })
}

/** Passes each transaction on, and says that its sender has too little. */
const reject = (method: string, result: unknown): unknown =>
  method === 'broadcast_tx_sync'
    ? {
        ...(result as object),
        code: 5,
        codespace: 'sdk',
        log: 'sender balance < tx cost: insufficient funds',
      }
    : result

/** Passes each transaction on, and answers as CometBFT does if the application took too long. */
const loseTrack = (method: string, result: unknown): unknown => {
  if (method !== 'broadcast_tx_sync') return result
  throw new RpcError(
    -32_603,
    'Internal error',
    'broadcast confirmation not received: context deadline exceeded',
  )
}

/** Longer than anybody waits. */
const frozenMs = 30_000

/** What is wrong with a node for a while, by what the drill is called. */
export const nodeFaults: Readonly<Record<string, (head: number) => Faults>> = {
  killed: () => ({ down: true }),
  frozen: () => ({ delay: frozenMs }),
  'cut off after each send': () => ({ cuts: ['broadcast_tx_sync'] }),
  lagging: () => ({ back: 20 }),
  lying: () => ({ alter: lie }),
  'rejecting sends': () => ({ alter: reject }),
  'unsure of sends': () => ({ alter: loseTrack }),
  pruned: (head) => ({ prunedBelow: head - 2, prunedStateBelow: head - 2 }),
  'rate-limited': () => ({ limitedFor: 2 }),
}

/** Sends get no answer and are not done; all else is well. */
export const takesNothing: Faults = { hangs: ['broadcast_tx_sync'] }
