import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calldata, deployment } from '../support/logContract.ts'
import { LogNode } from './logNode.ts'

interface LogObject {
  readonly blockNumber: string
  readonly blockHash: string | null
  readonly transactionHash: string
  readonly topics: readonly string[]
  readonly removed: boolean
}

const word = (value: number): string => value.toString(16).padStart(64, '0')
const topic = (value: number): string => `0x${word(value)}`
const numbers = (logs: readonly LogObject[]): number[] => logs.map(({ blockNumber }) => Number(blockNumber))

/** A block for each transaction: the n-th call gets block n + 1. */
describe('logs and filters over RPC', () => {
  const node = new LogNode()
  let from = ''
  let contract = ''

  const send = (logs: readonly (readonly number[])[]): Promise<string> =>
    node.call('eth_sendTransaction', {
      from,
      to: contract,
      gas: '0x40000',
      data: calldata(logs.map((topics) => ({ topics: topics.map(word), data: word(0) }))),
    })

  beforeAll(async () => {
    await node.start()
    from = (await node.call<string[]>('eth_accounts'))[0] as string
    const hash = await node.call<string>('eth_sendTransaction', { from, data: deployment(), gas: '0x100000' })
    contract = (await node.call<{ contractAddress: string }>('eth_getTransactionReceipt', hash))
      .contractAddress
    for (let block = 2; block <= 5; block++) await send([[1, block], [2]])
  })

  afterAll(() => node.close())

  test('a past fromBlock gives history by getFilterLogs and what is new by getFilterChanges', async () => {
    const id = await node.call<string>('eth_newFilter', { fromBlock: '0x3', topics: [topic(1)] })
    expect(id).toMatch(/^0x[0-9a-f]{1,32}$/)
    expect(numbers(await node.call('eth_getFilterLogs', id))).toEqual([3, 4, 5])
    expect(await node.call('eth_getFilterChanges', id)).toEqual([])
    await send([[1], [2], [1]])
    const changes = await node.call<LogObject[]>('eth_getFilterChanges', id)
    expect(numbers(changes)).toEqual([6, 6])
    expect(changes[0]).toMatchObject({ topics: [topic(1)], removed: false })
    expect(await node.call('eth_getFilterChanges', id)).toEqual([])
    expect(numbers(await node.call('eth_getFilterLogs', id))).toEqual([3, 4, 5, 6, 6])
    expect(await node.call('eth_uninstallFilter', id)).toBe(true)
    expect(await node.call('eth_uninstallFilter', id)).toBe(false)
    for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs'])
      expect((await node.answer(method, id)).error).toEqual({ code: -32000, message: 'filter not found' })
  })

  test('a filter may name blocks that are still to come', async () => {
    const head = await node.head()
    const range = { fromBlock: `0x${head.toString(16)}`, toBlock: `0x${(head + 1).toString(16)}` }
    const id = await node.call<string>('eth_newFilter', { ...range, topics: [topic(2)] })
    const before = await node.call<LogObject[]>('eth_getFilterLogs', id)
    expect(numbers(before).every((number) => number === head)).toBe(true)
    await send([[2]])
    await send([[2]])
    expect(numbers(await node.call('eth_getFilterChanges', id))).toEqual([head + 1])
    expect(await node.call('eth_getFilterLogs', id)).toHaveLength(before.length + 1)
  })

  test('block and pending filters give hashes, and no logs', async () => {
    const blocks = await node.call<string>('eth_newBlockFilter')
    const pending = await node.call<string>('eth_newPendingTransactionFilter')
    const hash = await send([])
    const block = await node.call<{ hash: string }>('eth_getBlockByNumber', 'latest', false)
    expect(await node.call('eth_getFilterChanges', blocks)).toEqual([block.hash])
    expect(await node.call('eth_getFilterChanges', pending)).toEqual([hash])
    expect(await node.call('eth_getFilterChanges', pending)).toEqual([])
    expect((await node.answer('eth_getFilterLogs', blocks)).error).toEqual({
      code: -32000,
      message: `filter ${blocks} is a block filter, not a log filter`,
    })
    expect((await node.answer('eth_getFilterLogs', pending)).error?.message).toBe(
      `filter ${pending} is a pending transaction filter, not a log filter`,
    )
  })

  test('a pending filter gives whole transactions on request, as they were when they came', async () => {
    const whole = await node.call<string>('eth_newPendingTransactionFilter', true)
    const hashes = await node.call<string>('eth_newPendingTransactionFilter', false)
    const sent = [await send([[1]]), await send([])]
    const found = await node.call<Record<string, unknown>[]>('eth_getFilterChanges', whole)
    expect(found.map(({ hash }) => hash)).toEqual(sent)
    for (const transaction of found) {
      const mined = await node.call<Record<string, unknown>>('eth_getTransactionByHash', transaction.hash)
      const { from, nonce, input, r } = mined
      expect(transaction).toMatchObject({ from, nonce, input, r, blockHash: null, blockNumber: null })
      expect(mined.blockHash).not.toBeNull()
    }
    expect(await node.call('eth_getFilterChanges', whole)).toEqual([])
    expect(await node.call('eth_getFilterChanges', hashes)).toEqual(sent)
    expect((await node.answer('eth_getFilterLogs', whole)).error?.message).toBe(
      `filter ${whole} is a pending transaction filter, not a log filter`,
    )
    expect((await node.answer('eth_newPendingTransactionFilter', 'all')).error?.code).toBe(-32602)
    expect(await node.call('eth_uninstallFilter', whole)).toBe(true)
  })

  test('logs of blocks that are taken back come again as removed', async () => {
    const id = await node.call<string>('eth_newFilter', { address: contract })
    const blocks = await node.call<string>('eth_newBlockFilter')
    const head = await node.head()
    await send([[7]])
    await send([[8]])
    expect(numbers(await node.call('eth_getFilterChanges', id))).toEqual([head + 1, head + 2])
    await node.call('eth_getFilterChanges', blocks)
    await node.operate('debug_setHead', `0x${(head + 1).toString(16)}`)
    expect(await node.call('eth_getLogs', { fromBlock: '0x1', topics: [topic(8)] })).toEqual([])
    await send([[9]])
    const changes = await node.call<LogObject[]>('eth_getFilterChanges', id)
    expect(changes.map(({ topics, removed }) => [topics[0], removed])).toEqual([
      [topic(8), true],
      [topic(9), false],
    ])
    expect(await node.call<string[]>('eth_getFilterChanges', blocks)).toHaveLength(1)
  })

  test('a range that ends above the head is refused', async () => {
    const head = await node.head()
    const hex = (number: number): string => `0x${number.toString(16)}`
    const codeOf = async (filter: object) => (await node.answer('eth_getLogs', filter)).error?.code
    expect(await codeOf({ fromBlock: '0x1', toBlock: hex(head + 1) })).toBe(-32602)
    expect(await codeOf({ fromBlock: hex(head + 1) })).toBe(-32602)
    expect(await codeOf({ fromBlock: '0x3', toBlock: '0x2' })).toBe(-32602)
    expect(await codeOf({ fromBlock: 'pending', toBlock: 'latest' })).toBe(-32602)
    expect(await codeOf({ fromBlock: `0x${'f'.repeat(16)}`, toBlock: `0x${'f'.repeat(16)}` })).toBe(-32602)
    expect(await codeOf({ blockHash: `0x${'12'.repeat(32)}` })).toBe(-32000)
    expect((await node.answer('eth_newFilter', { fromBlock: '0x3', toBlock: '0x2' })).error?.code).toBe(
      -32602,
    )
    await node.stop()
    await node.start('--json-rpc.logs-clip-to-head=true')
    const all = await node.call<LogObject[]>('eth_getLogs', { fromBlock: '0x1' })
    expect(all.length).toBeGreaterThan(5)
    expect(await node.call('eth_getLogs', { fromBlock: '0x1', toBlock: hex(head + 9) })).toEqual(all)
    expect(await node.call('eth_getLogs', { fromBlock: hex(head + 1), toBlock: hex(head + 2) })).toEqual([])
    expect(await node.call('eth_getLogs', { fromBlock: hex(head + 1) })).toEqual([])
    expect(await codeOf({ fromBlock: '0x3', toBlock: '0x2' })).toBe(-32602)
  })

  test('caps name themselves and the block up to which all is there', async () => {
    await node.stop()
    await node.start('--json-rpc.logs-cap=5', '--json-rpc.block-range-cap=4', '--json-rpc.filter-cap=2')
    const ask = (fromBlock: string, toBlock: string) => node.answer('eth_getLogs', { fromBlock, toBlock })
    expect((await ask('0x2', '0x6')).error).toEqual({
      code: -32005,
      message:
        'the range has 5 blocks, at most 4 are searched (json-rpc.block-range-cap): ask up to block 0x5',
      data: { setting: 'json-rpc.block-range-cap', limit: 4, toBlock: '0x5' },
    })
    const { error } = await ask('0x2', '0x5')
    expect(error).toEqual({
      code: -32005,
      message:
        'more than 5 logs match (json-rpc.logs-cap); complete up to block 0x3: ask for that, then go on from 0x4',
      data: { setting: 'json-rpc.logs-cap', limit: 5, toBlock: '0x3', fromBlock: '0x4' },
    })
    expect(numbers((await ask('0x2', '0x3')).result as LogObject[])).toEqual([2, 2, 3, 3])
    expect(numbers((await ask('0x4', '0x5')).result as LogObject[])).toEqual([4, 4, 5, 5])
    await send([[1], [1], [1], [1], [1], [1]])
    expect((await node.answer('eth_getLogs', {})).error).toMatchObject({
      code: -32005,
      message: expect.stringMatching(/alone has as many: narrow the filter$/),
    })
    await node.call('eth_newBlockFilter')
    await node.call('eth_newFilter', {})
    expect((await node.answer('eth_newPendingTransactionFilter')).error).toEqual({
      code: -32005,
      message: 'too many filters: at most 2 a client (json-rpc.filter-cap)',
    })
    await node.stop()
    await node.start('--json-rpc.logs-bytes-cap=2000')
    expect((await node.answer('eth_getLogs', { fromBlock: '0x2', toBlock: '0x5' })).error).toMatchObject({
      code: -32005,
      data: { setting: 'json-rpc.logs-bytes-cap', limit: 2000 },
    })
  })

  test('pending is not an end of a range, as in geth', async () => {
    for (const filter of [
      { fromBlock: 'pending', toBlock: 'pending' },
      { fromBlock: '0x1', toBlock: 'pending' },
      { fromBlock: 'pending' },
    ])
      for (const method of ['eth_getLogs', 'eth_newFilter'])
        expect((await node.answer(method, filter)).error).toEqual({
          code: -32602,
          message: 'pending logs are not supported',
        })
  })
})
