import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { slow } from '../support/slow.ts'
import { deployCounter } from './readYourWrite.ts'
import { alice, Connection, ServingNode } from './servingNode.ts'

const target = '0x000000000000000000000000000000000000bee0'
const reverts = 25

/** What removes the block that was just made, and what has to be known before it. */
const ways: Readonly<Record<string, (client: Connection, make: () => Promise<unknown>) => Promise<unknown>>> =
  {
    evm_revert: async (client, make) => {
      const id = await client.call('evm_snapshot')
      await make()
      return client.call('evm_revert', id)
    },
    anvil_rollback: async (client, make) => {
      await make()
      return client.call('anvil_rollback', 1)
    },
    anvil_reset: async (client, make) => {
      await make()
      return client.call('anvil_reset')
    },
  }

describe.each([0, 2])('with %i serving processes', slow, (workers) => {
  let node: ServingNode
  let contract: string
  const connections: Connection[] = []
  const connect = (): Connection => {
    const connection = new Connection(node.urls.http as string)
    connections.push(connection)
    return connection
  }
  beforeAll(async () => {
    // Whatever executes code does so on another thread.
    node = await ServingNode.start(workers, [
      '--json-rpc.inline-gas=0',
      '--json-rpc.evm-timeout=60s',
      '--json-rpc.trace-timeout=60s',
    ])
    contract = await deployCounter(connect())
  })
  afterAll(async () => {
    for (const connection of connections) connection.close()
    await node.remove()
  })

  test.each(Object.keys(ways))(
    'reads during %s find the old head or the new one',
    async (way) => {
      const reads: readonly (readonly [string, ...unknown[]])[] = [
        ['eth_getBlockByNumber', 'latest', true],
        ['eth_getBlockByNumber', 'pending', false],
        ['eth_getBalance', target, 'latest'],
        ['eth_getBalance', target, 'pending'],
        ['eth_getTransactionCount', alice, 'latest'],
        ['eth_getProof', target, [], 'latest'],
        ['eth_getBlockReceipts', 'latest'],
        ['eth_feeHistory', '0x2', 'latest', []],
        ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
        ['eth_call', { to: contract, data: '0x01' }, 'latest'],
        ['eth_call', { to: contract, data: '0x01' }, 'pending'],
        ['eth_estimateGas', { from: alice, to: contract }],
        ['debug_traceCall', { to: contract, data: '0x01' }, 'latest', { tracer: 'callTracer' }],
      ]
      const isAllowed = (method: string, answer: unknown): boolean =>
        method === 'eth_getBalance'
          ? answer === '0x0' || answer === '0x64'
          : answer !== null && answer !== undefined
      const bad: string[] = []
      let isDone = false
      let answered = 0
      const read = async (connection: Connection, from: number): Promise<void> => {
        for (let at = from; !isDone; at++) {
          const [method, ...params] = reads[at % reads.length] as (typeof reads)[number]
          const answer = await connection.call<unknown>(method, ...params).catch((error: Error) => error)
          if (answer instanceof Error) bad.push(answer.message)
          else if (!isAllowed(method, answer)) bad.push(`${method} ${params}: ${JSON.stringify(answer)}`)
          answered++
        }
      }
      const readers = Array.from({ length: 6 }, (_, index) => read(connect(), 2 * index))
      const client = connect()
      const make = (): Promise<unknown> =>
        client.call('eth_sendTransaction', { from: alice, to: target, value: '0x64' })
      for (let done = 0; done < reverts; done++) await ways[way]?.(client, make)
      isDone = true
      await Promise.all(readers)
      expect(answered).toBeGreaterThan(reads.length)
      expect([...new Set(bad)]).toEqual([])
    },
    120_000,
  )
})
