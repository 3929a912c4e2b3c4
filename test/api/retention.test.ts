import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boxInitCode, storeData } from '../support/boxContract.ts'
import { eventually } from '../support/eventually.ts'
import { alice } from '../support/logContract.ts'
import { startNodeAt, type TestNode } from '../support/node.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { createRpcClient } from '../support/rpc/rpcClient.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

interface Block {
  readonly number: string
  readonly hash: string
  readonly timestamp: string
  readonly transactions: readonly string[]
}

const quantity = (number: number): string => `0x${number.toString(16)}`
const timeout = 300_000

const oldestOf = async (node: Pick<TestNode, 'call'>): Promise<number> => {
  const { blocks } = await node.call<{ blocks: { oldestBlock: string } }>('eth_capabilities')
  return Number(blocks.oldestBlock)
}

/** Runs a command of the program and returns what it prints. */
const run = async (...args: readonly string[]): Promise<{ code: unknown; output: string }> => {
  const program = runProgram(args)
  const code = await program.ended()
  return { code, output: program.stdout() + program.stderr() }
}

describe('a chain of which the newest blocks are kept', { timeout }, () => {
  const home = temporaryHome()
  const head = 120
  const pruned: Block[] = []
  let node: TestNode
  let oldest = 0
  let box = ''

  beforeAll(async () => {
    // Everything is there at first, so that it is known what is pruned.
    node = await startNodeAt(home, '--index.calls')
    const send = (transaction: object) =>
      node.call<string>('eth_sendTransaction', { from: alice, ...transaction })
    const created = await send({ data: boxInitCode })
    const { contractAddress } = await node.call<{ contractAddress: string }>(
      'eth_getTransactionReceipt',
      created,
    )
    box = contractAddress
    for (let block = 2; block <= head; block++) await send({ to: box, data: storeData(BigInt(block)) })
    for (const number of [1, 2, 50])
      pruned.push(await node.call<Block>('eth_getBlockByNumber', quantity(number), false))
    await node.close()
    node = await startNodeAt(home, '--index.calls', '--min-retain-blocks=40')
    await eventually(async () => (await oldestOf(node)) === head - 40 + 1)
    oldest = await oldestOf(node)
  }, timeout)

  afterAll(async () => {
    await node?.close()
    rmSync(home, { recursive: true, force: true })
  })

  test('tells what it keeps', async () => {
    const capabilities = await node.call<Record<string, unknown>>('eth_capabilities')
    const window = { type: 'window', retentionBlocks: '0x28' }
    for (const name of ['blocks', 'tx', 'receipts', 'logs'])
      expect(capabilities[name]).toEqual({
        disabled: false,
        oldestBlock: quantity(oldest),
        deleteStrategy: window,
      })
    expect(capabilities.state).toEqual({ disabled: false, oldestBlock: '0x0' })
  })

  test('answers questions about pruned blocks with -32002 and the earliest block', async () => {
    for (const { number, hash, timestamp } of pruned)
      for (const [method, ...params] of [
        ['eth_getBlockByNumber', number, true],
        ['eth_getBlockByHash', hash, false],
        ['eth_getBlockTransactionCountByNumber', number],
        ['eth_getBlockTransactionCountByHash', hash],
        ['eth_getTransactionByBlockNumberAndIndex', number, '0x0'],
        ['eth_getTransactionByBlockHashAndIndex', hash, '0x0'],
        ['eth_getBlockReceipts', number],
        ['eth_getUncleCountByBlockNumber', number],
        ['eth_getLogs', { fromBlock: number }],
        ['eth_getLogs', { fromBlock: number, toBlock: number, address: box }],
        ['eth_getLogs', { blockHash: hash }],
        ['eth_feeHistory', '0x2', number, [50]],
        ['debug_getRawBlock', number],
        ['debug_getRawReceipts', hash],
        ['debug_traceBlockByNumber', number, {}],
        ['debug_traceBlockByHash', hash, {}],
        ['debug_intermediateRoots', hash],
        ['debug_executionWitness', number],
        ['trace_block', number],
        ['trace_replayBlockTransactions', number, ['trace']],
        ['trace_filter', { fromBlock: number }],
        ['trace_filter', { fromBlock: number, toAddress: [box] }],
        ['ots_getBlockDetails', Number(number)],
        ['ots_getBlockTransactions', Number(number), 0, 5],
        ['ots_searchTransactionsBefore', alice, Number(number) + 1, 5],
        ['ots_searchTransactionsAfter', alice, Number(number), 5],
        ['erigon_getBlockByTimestamp', timestamp, false],
        ['erigon_getBlockReceiptsByBlockHash', hash],
        ['erigon_getLogsByHash', hash],
      ] as const) {
        const { code, message } = await node.failure(method, ...params)
        expect([method, code]).toEqual([method, -32002])
        expect(message, method).toContain(String(oldest))
      }
  })

  test('does not find what was in them', async () => {
    for (const { transactions } of pruned) {
      const [hash] = transactions
      expect(await node.call('eth_getTransactionByHash', hash)).toBeNull()
      expect(await node.call('eth_getTransactionReceipt', hash)).toBeNull()
      expect(await node.failure('debug_traceTransaction', hash)).toMatchObject({ code: -32000 })
    }
    expect(await node.call('ots_getTransactionBySenderAndNonce', alice, 1)).toBeNull()
  })

  test('answers all that is about what is kept', async () => {
    const earliest = await node.call<Block>('eth_getBlockByNumber', 'earliest', true)
    expect(Number(earliest.number)).toBe(oldest)
    expect(await node.call('eth_getBlockByNumber', '0x0', false)).toMatchObject({ number: '0x0' })
    const logs = await node.call<{ blockNumber: string }[]>('eth_getLogs', { fromBlock: 'earliest' })
    expect(logs.map(({ blockNumber }) => Number(blockNumber))).toEqual(
      Array.from({ length: 40 }, (_, index) => oldest + index),
    )
    expect(await node.call('eth_getLogs', { fromBlock: quantity(oldest), address: box })).toEqual(logs)
    const history = await node.call<{ oldestBlock: string }>('eth_feeHistory', '0x400', 'latest', [50])
    expect(Number(history.oldestBlock)).toBe(oldest)
    expect(await node.call('trace_filter', { toAddress: [box] })).toHaveLength(40)
    expect(await node.call('trace_filter', { fromBlock: 'earliest' })).toHaveLength(40)
    expect(await node.call('debug_traceBlockByNumber', 'earliest', {})).toHaveLength(1)
    const found = await node.call<{ txs: unknown[]; lastPage: boolean }>(
      'ots_searchTransactionsBefore',
      alice,
      0,
      100,
    )
    expect([found.txs.length, found.lastPage]).toEqual([40, true])
    expect(await node.call('erigon_getLatestLogs', {}, { blockCount: 100 })).toHaveLength(40)
    expect(await node.call('erigon_getBlockByTimestamp', earliest.timestamp, false)).not.toBeNull()
    // Headers and, here, states stay.
    for (const { number, hash } of pruned) {
      expect(await node.call('eth_getHeaderByNumber', number)).toMatchObject({ hash })
      expect(await node.call('eth_getBalance', alice, number)).toMatch(/^0x/)
      expect(await node.call('eth_getStorageAt', box, '0x0', number)).toBe(
        `0x${Number(number === '0x1' ? 0 : number)
          .toString(16)
          .padStart(64, '0')}`,
      )
    }
    expect(await node.call('eth_config')).toMatchObject({ current: { chainId: '0x7a69' } })
  })

  test('goes back no further than to its oldest block', async () => {
    const { code, message } = await node.failure('debug_setHead', quantity(oldest - 1))
    expect([code, message]).toEqual([-32002, expect.stringContaining(String(oldest))])
    expect(Number(await node.call('eth_blockNumber'))).toBe(head)
  })

  test('can be checked, and says that it cannot be exported', async () => {
    await node.close()
    const stats = await run('db', 'stats', '--home', home)
    expect(stats.output).toContain(
      `blocks up to ${head}, with transactions, receipts and logs from ${oldest} on`,
    )
    expect(stats.output).toMatch(/chain\.frames +41 /)
    const check = await run('db', 'check', '--home', home)
    expect(check).toMatchObject({ code: 0, output: expect.stringMatching(/\nok\n$/) })
    const exported = await run('export', '--home', home, '--out', `${home}/out`)
    expect(exported).toMatchObject({
      code: 74,
      output: expect.stringContaining(`the blocks below ${oldest} are not kept`),
    })
    const back = await run('rollback', '--home', home, '--to', String(oldest - 1))
    expect(back).toMatchObject({ code: 64, output: expect.stringContaining(`can go back to ${oldest}`) })
  })

  test('with a larger number keeps what is there, and with a smaller one less', async () => {
    node = await startNodeAt(home, '--min-retain-blocks=60')
    await node.call('anvil_mine', '0xa')
    expect(await oldestOf(node)).toBe(oldest)
    await node.call('anvil_mine', '0x14')
    await eventually(async () => (await oldestOf(node)) === head + 30 - 60 + 1)
    await node.close()
    node = await startNodeAt(home, '--min-retain-blocks=10')
    await eventually(async () => (await oldestOf(node)) === head + 30 - 10 + 1)
    await node.close()
    node = await startNodeAt(home)
    const before = await oldestOf(node)
    await node.call('anvil_mine', '0x28')
    expect(await oldestOf(node)).toBe(before)
    const { blocks } = await node.call<{ blocks: object }>('eth_capabilities')
    expect(blocks).toEqual({ disabled: false, oldestBlock: quantity(before) })
  })

  test('goes back to its first block, and on from there', async () => {
    await node.call('anvil_reset')
    expect(await oldestOf(node)).toBe(0)
    await node.call('anvil_mine', '0x5')
    expect(await node.call('eth_getBlockByNumber', '0x1', false)).toMatchObject({ number: '0x1' })
    await node.close()
    const check = await run('db', 'check', '--home', home)
    expect(check).toMatchObject({ code: 0, output: expect.stringMatching(/\nok\n$/) })
  })
})

test('a node that is killed while it prunes goes on where it was', { ...slow, timeout }, async () => {
  const home = temporaryHome()
  try {
    let head = 0
    for (let round = 0; round < 3; round++) {
      const program = runProgram(['start', ...isolatedFlags(home), '--min-retain-blocks=30', '--quiet'])
      const { http = '' } = await program.ready()
      const client = createRpcClient(http)
      expect(Number(await client.call('eth_blockNumber'))).toBeGreaterThanOrEqual(head)
      for (let blocks = 0; blocks < 200; blocks += 40) await client.call('anvil_mine', '0x28')
      head = Number(await client.call('eth_blockNumber'))
      program.child.kill('SIGKILL')
      await program.ended()
      const check = await run('db', 'check', '--home', home)
      expect(check).toMatchObject({ code: 0, output: expect.stringMatching(/^ok$/m) })
    }
    const node = await startNodeAt(home, '--min-retain-blocks=30')
    await eventually(async () => (await oldestOf(node)) >= head - 30 - 4)
    await node.close()
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})
