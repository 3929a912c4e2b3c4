import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isolatedFlags, runProgram } from '../../support/program.ts'
import { createRandom } from '../../support/random.ts'
import { createRpcClient, type RpcClient, type RpcResponse } from '../../support/rpc/rpcClient.ts'
import { expectedBlock } from '../replay/block/expected.ts'
import type { ReplayFamily } from '../replay/families.ts'
import type { Faults } from '../replay/server/injectedFaults.ts'
import { startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { mutateReply, pathsOf } from './mutate.ts'

/**
 * A running gateway between nodes that lie and one that does not: it stays up, serves nothing that the chain did not
 * commit to, and answers or refuses in time.
 */

/** The gateway's limit for a question to its nodes. */
const deadlineMs = 2_000

export interface EndToEnd {
  readonly requests: number
  readonly mutated: number
  readonly problems: readonly string[]
  /** Of calls while nodes lie, and while they say nothing. */
  readonly slowestMs: number
  readonly slowestHungMs: number
}

interface Served {
  readonly hash: string
  readonly transactionsRoot: string
  readonly receiptsRoot: string
  readonly logsBloom: string
  readonly stateRoot: string
  readonly transactions: readonly { readonly hash: string; readonly from: string; readonly input: string }[]
}

const committed = ({
  hash,
  transactionsRoot,
  receiptsRoot,
  logsBloom,
  stateRoot,
  transactions,
}: Served): string =>
  JSON.stringify([
    ...[hash, transactionsRoot, receiptsRoot, logsBloom, stateRoot],
    ...transactions.map((one) => [one.hash, one.from, one.input]),
  ])

/** A node that changes every second of its answers. */
const lies = (seed: number, count: () => void): Faults => {
  const random = createRandom(seed)
  return {
    alter: (_method, result) => {
      if (random.chance(0.5)) return result
      count()
      try {
        return JSON.parse(mutateReply(result, pathsOf(result), random))
      } catch {
        return 'no answer'
      }
    },
  }
}

const hex = (value: number): string => `0x${value.toString(16)}`

export const runEndToEnd = async (
  family: ReplayFamily,
  requests: number,
  seed: number,
): Promise<EndToEnd> => {
  const random = createRandom(seed)
  const chain = new SyntheticChain({ family, length: 30, seed })
  let mutated = 0
  // One lie that is found out is enough for a node to be left alone for a while: there are several.
  const liars = await Promise.all(Array.from({ length: 4 }, () => startReplay({ chain })))
  const honest = await startReplay({ chain })
  const all = [...liars, honest]
  const home = mkdtempSync(join(tmpdir(), 'perihelion-mutations-'))
  const nodes = all.flatMap(({ url }) => ['--node', url])
  const limits = [`--gateway.query-timeout=${deadlineMs}ms`, '--json-rpc.rate-limit=0']
  const program = runProgram(['gateway', ...nodes, ...limits, ...isolatedFlags(home)])
  const problems: string[] = []
  let slowest = 0
  const timed = async (
    client: RpcClient,
    method: string,
    ...params: readonly unknown[]
  ): Promise<RpcResponse> => {
    const started = performance.now()
    const answer = await client.send(method, params)
    slowest = Math.max(slowest, performance.now() - started)
    return answer
  }
  try {
    const { http = '' } = await program.ready()
    const client = createRpcClient(http)
    for (const [at, liar] of liars.entries())
      await liar.setFaults(
        lies(seed + at, () => {
          mutated++
        }),
      )
    const author = `0x${Buffer.from(chain.authors[0]?.key.address ?? []).toString('hex')}`
    for (let number = 0; number < requests; number++) {
      if (number % 10 === 0) {
        chain.grow()
        for (const replay of all) replay.announce()
      }
      const height = 1 + random.below(chain.head)
      const { result } = await timed(client, 'eth_getBlockByNumber', hex(height), true)
      const built = chain.built(height)
      if (result !== null && result !== undefined && built !== undefined) {
        const shape = chain.traits.hasConfig ? 'prague' : 'london'
        const expected = committed(expectedBlock(built, shape).block as unknown as Served)
        if (committed(result as Served) !== expected) problems.push(`block ${height} is not the chain's`)
      }
      await timed(
        client,
        random.pick(['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode']),
        author,
        hex(height),
      )
    }
    const slowestMs = slowest
    slowest = 0
    const hangs = ['abci_query', 'status', 'block', 'block_results', 'broadcast_tx_sync', 'grpc']
    await Promise.all(all.map((replay) => replay.setFaults({ hangs })))
    for (let number = 0; number < 5; number++) {
      const address = `0x${Buffer.from(random.bytes(20)).toString('hex')}`
      const { error } = await timed(client, 'eth_getBalance', address, 'latest')
      if (error === undefined) problems.push('a balance came from nodes that say nothing')
    }
    if (program.child.exitCode !== null) problems.push(`the gateway ended: ${program.stderr().slice(-2_000)}`)
    return { requests: requests * 2, mutated, problems, slowestMs, slowestHungMs: slowest }
  } finally {
    program.child.kill('SIGTERM')
    await Promise.race([program.ended(), sleep(10_000).then(() => program.child.kill('SIGKILL'))])
    await Promise.all(all.map((replay) => replay.close()))
    rmSync(home, { recursive: true, force: true })
  }
}

export const allowedMs = deadlineMs * 1.1
