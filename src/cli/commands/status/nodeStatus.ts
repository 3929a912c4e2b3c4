import { setTimeout } from 'node:timers/promises'
import { blocksBehind } from '../../../chain/port/network.ts'
import type { Outcome } from '../../../follow/batchAnswer.ts'
import { openNodeClient } from '../../../follow/nodeClient.ts'

/** What a node reports about itself. A value that it does not serve is undefined. */
export interface NodeStatus {
  readonly clientVersion: string | undefined
  readonly mode: string | undefined
  readonly chainId: number | undefined
  readonly height: number | undefined
  /** Of the newest block, in seconds since 1970. */
  readonly time: number | undefined
  /** The blocks that are known of and not here yet. */
  readonly lag: number | undefined
  readonly fork: string | undefined
  readonly forksAhead: readonly string[]
  /** What is wrong with forks that are ahead: those that its version does not know, and those that have no effect. */
  readonly forkProblems: readonly string[]
  readonly peers: number | undefined
  readonly pool: { readonly pending: number; readonly queued: number } | undefined
  readonly versions: Readonly<Record<string, string | null>> | undefined
}

const calls = [
  { method: 'web3_clientVersion', params: [] },
  { method: 'eth_chainId', params: [] },
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
  { method: 'eth_syncing', params: [] },
  { method: 'net_peerCount', params: [] },
  { method: 'txpool_status', params: [] },
  { method: 'perihelion_status', params: [] },
] as const

interface Block {
  readonly number: string
  readonly timestamp: string
}

interface Progress {
  readonly currentBlock: string
  readonly highestBlock: string
}

interface PoolStatus {
  readonly pending: string
  readonly queued: string
}

interface OwnFork {
  readonly name: string
  /** In seconds since 1970, for a fork that the node does not know. */
  readonly at: string
  readonly known: boolean
  readonly version: string | null
  readonly problem: string | null
}

interface OwnStatus {
  readonly mode: string
  readonly fork: string
  readonly forks: readonly OwnFork[]
  readonly lag: { readonly blocks: string | null }
  readonly versions: Readonly<Record<string, string | null>>
}

/** How long a node may take, however busy; a suspended one (Ctrl-Z) never answers. */
const timeoutMs = 10_000

/** Asks a node; throws if it cannot be reached, or does not answer. */
export const askNode = async (target: string): Promise<NodeStatus> => {
  const client = openNodeClient(target)
  const answered = new AbortController()
  const late = setTimeout(timeoutMs, undefined, { signal: answered.signal }).then(() => {
    throw new Error(`no response within ${timeoutMs / 1000} s`)
  })
  try {
    const { outcomes } = await Promise.race([client.batch(calls), late])
    return toStatus(outcomes)
  } finally {
    late.catch(() => {})
    answered.abort()
    client.close()
  }
}

const toStatus = (outcomes: readonly Outcome[]): NodeStatus => {
  /** The response to a method; the casts below are what the specification of each promises. */
  const resultOf = (name: (typeof calls)[number]['method']): unknown => {
    const { result } = outcomes[calls.findIndex(({ method }) => method === name)] ?? {}
    return result === undefined ? undefined : (JSON.parse(result.toString()) ?? undefined)
  }
  const block = resultOf('eth_getBlockByNumber') as Block | undefined
  const syncing = resultOf('eth_syncing') as Progress | false | undefined
  const pool = resultOf('txpool_status') as PoolStatus | undefined
  const own = resultOf('perihelion_status') as OwnStatus | undefined
  const ownLag = own?.lag.blocks ?? undefined
  return {
    clientVersion: resultOf('web3_clientVersion') as string | undefined,
    mode: own?.mode,
    chainId: toNumber(resultOf('eth_chainId')),
    height: toNumber(block?.number),
    time: toNumber(block?.timestamp),
    lag: ownLag === undefined ? lagOf(syncing) : Number(ownLag),
    fork: own?.fork,
    forksAhead: own?.forks.map(({ name }) => name) ?? [],
    forkProblems: own?.forks.flatMap(problemOfFork) ?? [],
    peers: toNumber(resultOf('net_peerCount')),
    pool: pool && { pending: Number(pool.pending), queued: Number(pool.queued) },
    versions: own?.versions,
  }
}

const problemOfFork = ({ name, at, known, version, problem }: OwnFork): readonly string[] => {
  if (problem !== null) return [`${name} (has no effect: ${problem})`]
  if (known) return []
  const remedy = version === null || version === '' ? 'one that knows it' : `version ${version} or later`
  return [
    `${name} (not known to this version: this node stops at ${timeOf(at)}): install ${remedy}, or cancel the fork before`,
  ]
}

const timeOf = (quantity: string): string => {
  // Times of the schedule may be beyond those that a date can have.
  const date = new Date(Number(quantity) * 1000)
  return Number.isNaN(date.getTime()) ? `time ${BigInt(quantity)}` : date.toISOString()
}

const lagOf = (syncing: Progress | false | undefined): number | undefined => {
  if (syncing === undefined) return undefined
  if (syncing === false) return blocksBehind(undefined)
  const [currentBlock, highestBlock] = [Number(syncing.currentBlock), Number(syncing.highestBlock)]
  return blocksBehind({ startingBlock: currentBlock, currentBlock, highestBlock })
}

/** Other clients give numbers as QUANTITY where ours are JSON numbers. */
const toNumber = (value: unknown): number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? Number(value) : undefined
