import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { Subscriber } from '../support/rpc/subscriber.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { accountReader, produceBlock, startOwnNode } from '../tracing/varied/nodes.ts'
import { VariedChain } from '../tracing/varied/variedChain.ts'
import {
  type InternalRow,
  toBlockRow,
  toGethRows,
  toParityRow,
  toPendingRow,
  toReceiptRow,
  toTransactionRow,
} from './blockscoutRows.ts'
import { type Json, readData, readHash, readQuantity } from './readers.ts'

/** Its numbers are hexadecimal in capitals. */
const quantity = (number: number): string => `0x${number.toString(16).toUpperCase()}`
/** Blocks that its fetchers ask for at once. */
const batchBlocks = 10

interface Answer {
  readonly id: number | string
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

type Request = readonly [method: string, ...params: readonly unknown[]]
type BlockRow = ReturnType<typeof toBlockRow>
type ReceiptRow = ReturnType<typeof toReceiptRow>

/** The requests of Blockscout's fetchers, in the forms in which its source makes them: batches over HTTP. */
describe('what Blockscout asks of a node', () => {
  const folder = temporaryHome()
  let node: Awaited<ReturnType<typeof startOwnNode>>

  let head = 0
  let blocks: readonly BlockRow[]
  let receipts: ReadonlyMap<string, ReceiptRow>

  /** One batch; the answers come in any order. */
  const batch = async (requests: readonly Request[]): Promise<readonly unknown[]> => {
    const body = requests.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
    const answers = JSON.parse(await postJson(node.client.url, JSON.stringify(body))) as readonly Answer[]
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    return requests.map((request, id) => {
      const { result, error } = byId.get(id) ?? {}
      if (error !== undefined) throw new Error(`${request[0]}: ${error.message}`)
      return result
    })
  }
  const range = (from: number, to: number): readonly number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const perBatch = async (requests: readonly Request[], size: number): Promise<readonly unknown[]> => {
    const results: unknown[] = []
    for (let at = 0; at < requests.length; at += size)
      results.push(...(await batch(requests.slice(at, at + size))))
    return results
  }
  const transactions = () => blocks.flatMap((block) => block.transactions)

  beforeAll(async () => {
    const chain = new VariedChain(7)
    node = await startOwnNode(folder, chain)

    for (let count = 0; count < 60; ) {
      const raws = await chain.nextBlock(60 - count, accountReader(node))
      await produceBlock(node, raws)
      count += raws.length
    }
    // What its pages of pending transactions show.
    for (const raw of await chain.nextBlock(3, accountReader(node)))
      await node.client.call('eth_sendRawTransaction', raw)
    const [latest] = (await batch([['eth_getBlockByNumber', 'latest', false]])) as readonly Json[]
    head = Number(readQuantity(latest as Json, 'number'))
    const full = await perBatch(
      range(0, head).map((number): Request => ['eth_getBlockByNumber', quantity(number), true]),
      batchBlocks,
    )
    blocks = (full as readonly Json[]).map(toBlockRow)
    const rows = await perBatch(
      transactions().map(({ hash }): Request => ['eth_getTransactionReceipt', hash]),
      batchBlocks,
    )
    receipts = new Map((rows as readonly Json[]).map(toReceiptRow).map((row) => [row.transactionHash, row]))
  })

  afterAll(async () => {
    await node.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('begins with the chain, its ends and new heads', async () => {
    const [chainId, version] = await batch([['eth_chainId'], ['net_version']])
    expect(Number(chainId)).toBe(Number(version))
    const [first, pending] = (await batch([
      ['eth_getBlockByNumber', 'earliest', false],
      ['eth_getBlockByNumber', 'pending', false],
    ])) as readonly Json[]
    expect(Number(readQuantity(first as Json, 'number'))).toBe(0)
    expect(Number(readQuantity(pending as Json, 'number'))).toBe(head + 1)
    const subscriber = await Subscriber.open(node.ws)
    const id = await subscriber.subscribe('newHeads')
    expect(id).toMatch(/^0x[0-9a-f]+$/)
    subscriber.close()
  })

  test('catches up: blocks in batches, those beyond the head null, links and counts in order', async () => {
    const beyond = await batch(
      range(head - 1, head + 3).map((number): Request => ['eth_getBlockByNumber', quantity(number), true]),
    )
    expect(beyond.slice(2)).toEqual([null, null, null])
    for (const [index, block] of blocks.entries()) {
      expect(block.number).toBe(index)
      if (index > 0) expect(block.parentHash).toBe(blocks[index - 1]?.hash)
      for (const [position, transaction] of block.transactions.entries())
        expect(transaction).toMatchObject({ blockHash: block.hash, blockNumber: index, index: position })
    }
    const byHash = await perBatch(
      blocks.map(({ hash }): Request => ['eth_getBlockByHash', hash, true]),
      batchBlocks,
    )
    expect((byHash as readonly Json[]).map(toBlockRow)).toEqual(blocks)
    const uncles = await batch(
      blocks.slice(0, 3).map(({ hash }): Request => ['eth_getUncleByBlockHashAndIndex', hash, '0x0']),
    )
    expect(uncles).toEqual([null, null, null])
  })

  test('receipts by transaction are those by block, and add up', async () => {
    const byBlock = await perBatch(
      blocks.map(({ number }): Request => ['eth_getBlockReceipts', quantity(number)]),
      batchBlocks,
    )
    expect((byBlock as readonly (readonly Json[])[]).flat().map(toReceiptRow)).toEqual([...receipts.values()])
    for (const { number, gasUsed, transactions: rows } of blocks) {
      const own = rows.map(({ hash }) => receipts.get(hash) as ReceiptRow)
      expect(own.reduce((sum, row) => sum + row.gasUsed, 0n)).toBe(gasUsed)
      const logs = own.flatMap((row) => row.logs)
      expect(logs.map(({ index }) => index)).toEqual(logs.map((_, index) => index))
      expect(logs.every(({ blockNumber }) => blockNumber === number)).toBe(true)
    }
    const found = await perBatch(
      transactions().map(({ hash }): Request => ['eth_getTransactionByHash', hash]),
      batchBlocks,
    )
    expect((found as readonly Json[]).map(toTransactionRow)).toEqual(transactions())
    const [unknown] = await batch([['eth_getTransactionReceipt', `0x${'00'.repeat(31)}09`]])
    expect(unknown).toBe(null)
  })

  test('internal transactions are the same by each of its variants', slow, async () => {
    const numbers = range(1, head)
    const replayed = (await perBatch(
      numbers.map((number): Request => ['trace_replayBlockTransactions', quantity(number), ['trace']]),
      batchBlocks,
    )) as readonly (readonly { readonly trace: readonly Json[]; readonly transactionHash: string }[])[]
    const rows = replayed
      .flat()
      .flatMap(({ trace, transactionHash }) =>
        trace.map((each, index) => toParityRow(each, transactionHash, index)),
      )
    expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(['call', 'create', 'selfdestruct']))
    // Erigon and RSK: the index begins anew with each outermost trace.
    const traced = (await perBatch(
      numbers.map((number): Request => ['trace_block', quantity(number)]),
      batchBlocks,
    )) as readonly (readonly Json[])[]
    let index = -1
    const localized = traced.flat().map((each) => {
      index = (each.traceAddress as readonly number[]).length === 0 ? 0 : index + 1
      return toParityRow(each, readHash(each, 'transactionHash'), index)
    })
    expect(localized).toEqual(rows)
    // Geth: by block, and by transaction.
    const config = { tracer: 'callTracer', timeout: '60s' }
    const framed = (await perBatch(
      numbers.map((number): Request => ['debug_traceBlockByNumber', quantity(number), config]),
      batchBlocks,
    )) as readonly (readonly { readonly txHash: string; readonly result: Json }[])[]
    const frames = framed.flat().flatMap(({ txHash, result }) => toGethRows(result, txHash))
    // The outermost call has the gas of the transaction there, and of the code here.
    const comparable = (list: readonly InternalRow[]) =>
      list.map(({ gas, ...row }) => ({ ...row, gas: row.index === 0 ? undefined : gas }))
    expect(comparable(frames)).toEqual(comparable(rows))
    const alone = (await perBatch(
      transactions().map(({ hash }): Request => ['debug_traceTransaction', hash, config]),
      batchBlocks,
    )) as readonly Json[]
    expect(alone.flatMap((frame, at) => toGethRows(frame, transactions()[at]?.hash ?? ''))).toEqual(frames)
    // The first trace of a transaction that has no row yet.
    for (const { hash } of transactions().slice(0, 5)) {
      const [replay] = (await batch([['trace_replayTransaction', hash, ['trace']]])) as readonly {
        readonly trace: readonly Json[]
      }[]
      const [first] = replay?.trace ?? []
      expect(toParityRow(first as Json, hash, 0)).toEqual(
        rows.find(({ transactionHash }) => transactionHash === hash),
      )
    }
  })

  test('balances, codes and nonces at the block in which they changed', async () => {
    const places = new Map<string, number>()
    for (const { number, miner, transactions: rows } of blocks)
      for (const { from, to } of rows)
        for (const address of [from, to, miner])
          if (address !== null) places.set(`${address} ${number}`, number)
    const requests = [...places].map(([place, number]): readonly [string, string] => [
      place.split(' ')[0] as string,
      quantity(number),
    ])
    const balances = await perBatch(
      requests.map((params): Request => ['eth_getBalance', ...params]),
      50,
    )
    for (const value of balances) readQuantity({ value }, 'value')
    const nonces = await perBatch(
      requests.map((params): Request => ['eth_getTransactionCount', ...params]),
      50,
    )
    for (const value of nonces) readQuantity({ value }, 'value')
    const created = [...receipts.values()].filter(
      (row) => row.createdContract !== null && row.status === 'ok',
    )
    expect(created.length).toBeGreaterThan(0)
    const codes = await batch(
      created.map(({ createdContract, transactionHash }): Request => {
        const { blockNumber } = transactions().find(({ hash }) => hash === transactionHash) ?? {
          blockNumber: 0,
        }
        return ['eth_getCode', createdContract, quantity(blockNumber)]
      }),
    )
    for (const value of codes) readData({ value }, 'value')
  })

  test('contracts are read with names as ids, and proxies by their slots', async () => {
    const [{ to } = { to: null }] = transactions().filter((row) => row.to !== null)
    const slots = [
      '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
      '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
    ]
    const body = [
      ...['name', 'symbol'].map((id) => ({
        ...{ jsonrpc: '2.0', id, method: 'eth_call' },
        params: [{ to, data: '0x06fdde03' }, 'latest'],
      })),
      ...slots.map((slot) => ({
        ...{ jsonrpc: '2.0', id: slot, method: 'eth_getStorageAt' },
        params: [to, slot, 'latest'],
      })),
    ]
    const answers = JSON.parse(await postJson(node.client.url, JSON.stringify(body))) as readonly Answer[]
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(body.map(({ id }) => id)))
    for (const slot of slots)
      expect(answers.find(({ id }) => id === slot)?.result).toBe(`0x${'00'.repeat(32)}`)
  })

  test('pending transactions are those of the pool', async () => {
    const [content] = (await batch([['txpool_content']])) as readonly {
      readonly pending: Readonly<Record<string, Readonly<Record<string, Json>>>>
    }[]
    const rows = Object.values(content?.pending ?? {}).flatMap((byNonce) =>
      Object.values(byNonce).map(toPendingRow),
    )
    expect(rows.length).toBeGreaterThan(0)
    const [found] = (await batch([['eth_getTransactionByHash', rows[0]?.hash]])) as readonly Json[]
    expect(toPendingRow(found as Json)).toEqual(rows[0])
    expect(found?.blockHash).toBe(null)
  })
})
