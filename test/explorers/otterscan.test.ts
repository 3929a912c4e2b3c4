import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unpackChain } from '../geth/traces/fixtures.ts'
import { serveChain } from '../support/programs/chainFiles.ts'
import type { RpcClient } from '../support/rpc/rpcClient.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { type Json, readAddress, readData, readHash, readList, readQuantity } from './readers.ts'

interface Transaction {
  readonly hash: string
  readonly blockNumber: string
  readonly transactionIndex: string
  readonly from: string
  readonly to: string | null
  readonly nonce: string
  readonly input: string
}

interface Receipt {
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly contractAddress: string | null
  readonly status: string
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[] }[]
}

interface Block {
  readonly hash: string
  readonly number: string
  readonly timestamp: string
  readonly transactions: readonly Transaction[]
}

interface CallFrame {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly output?: string
  readonly error?: string
  readonly calls?: readonly CallFrame[]
}

interface Found {
  readonly txs: readonly Transaction[]
  readonly receipts: readonly (Receipt & { readonly timestamp: number; readonly transactionHash: string })[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

const quantity = (number: number): string => `0x${number.toString(16)}`

/** The questions of Otterscan's pages, in the forms in which its source asks them. */
describe('what Otterscan asks of a node', () => {
  let folder: string
  let own: { readonly client: RpcClient; close(): Promise<void> }
  const blocks: Block[] = []
  const receipts = new Map<string, Receipt>()
  const ask = <T>(method: string, ...params: readonly unknown[]): Promise<T> =>
    own.client.call<T>(method, ...params)

  beforeAll(async () => {
    folder = temporaryHome()
    const flags = ['--json-rpc.api=eth,debug,trace,ots,erigon', '--json-rpc.trace-timeout=60s']
    own = await serveChain(unpackChain(folder), join(folder, 'served'), flags)
    const head = Number(await ask('eth_blockNumber'))
    for (let number = 0; number <= head; number++) {
      blocks.push(await ask<Block>('eth_getBlockByNumber', quantity(number), true))
      for (const [index, receipt] of (
        await ask<Receipt[]>('eth_getBlockReceipts', quantity(number))
      ).entries())
        receipts.set(blocks[number]?.transactions[index]?.hash ?? '', receipt)
    }
  })

  afterAll(async () => {
    await own.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const all = (): readonly Transaction[] => blocks.flatMap(({ transactions }) => transactions)
  const receiptOf = ({ hash }: Transaction): Receipt => receipts.get(hash) as Receipt
  const isIn = (transaction: Transaction, address: string): boolean => {
    const { contractAddress, logs } = receiptOf(transaction)
    return [transaction.from, transaction.to, contractAddress, ...logs.map((log) => log.address)].includes(
      address,
    )
  }

  test('begins with the level of the API and the newest header', async () => {
    expect(await ask('ots_getApiLevel')).toBe(8)
    const newest = blocks.at(-1) as Block
    expect(await ask('erigon_getHeaderByNumber', 'latest')).toMatchObject({ hash: newest.hash })
    expect(await ask('erigon_getHeaderByNumber', 1)).toMatchObject({ hash: blocks[1]?.hash })
    expect(await ask('erigon_getHeaderByNumber', '0xffffff')).toBe(null)
    expect(await ask('erigon_getHeaderByHash', newest.hash)).toMatchObject({ number: newest.number })
  })

  test('says what it wants in place of a wrong height', async () => {
    const messageOf = async (method: string, ...params: unknown[]) =>
      (await own.client.send(method, params)).error?.message
    expect(await messageOf('erigon_getHeaderByNumber', -1)).toContain('or a whole number')
    expect(await messageOf('ots_searchTransactionsBefore', `0x${'11'.repeat(20)}`, -1, 1)).toContain(
      'expected a height as a whole number',
    )
  })

  test('shows a block: its details and its pages of transactions, the newest first', async () => {
    const block = blocks.reduce((a, b) => (b.transactions.length > a.transactions.length ? b : a))
    const number = Number(block.number)
    const details = await ask<{ block: Record<string, unknown>; issuance: object; totalFees: string }>(
      'ots_getBlockDetails',
      number,
    )
    const { transactions: _, ...members } = await ask<Record<string, unknown>>(
      'eth_getBlockByNumber',
      block.number,
      false,
    )
    expect(details.block).toEqual({
      ...members,
      logsBloom: null,
      totalDifficulty: '0x0',
      transactionCount: block.transactions.length,
    })
    expect(details.issuance).toEqual({ blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' })
    const fees = block.transactions
      .map(receiptOf)
      .map((each) => BigInt(each.gasUsed) * BigInt(each.effectiveGasPrice))
    expect(BigInt(details.totalFees)).toBe(fees.reduce((sum, fee) => sum + fee, 0n))
    expect(await ask('ots_getBlockDetailsByHash', block.hash)).toEqual(details)
    expect(await ask('ots_getBlockDetails', 9_999_999)).toBe(null)
    expect(await ask('ots_getBlockDetailsByHash', `0x${'00'.repeat(31)}09`)).toBe(null)
    const seen: string[] = []
    for (let page = 0; seen.length < block.transactions.length; page++) {
      const { fullblock, receipts: shown } = await ask<{
        fullblock: { transactions: readonly Transaction[]; transactionCount: number }
        receipts: readonly (Receipt & { logs: null })[]
      }>('ots_getBlockTransactions', number, page, 2)
      expect(fullblock.transactionCount).toBe(block.transactions.length)
      expect(shown.map(({ logs }) => logs)).toEqual(shown.map(() => null))
      expect(fullblock.transactions.every(({ input }) => input.length <= 10)).toBe(true)
      expect(fullblock.transactions.length).toBeGreaterThan(0)
      seen.push(...[...fullblock.transactions].reverse().map(({ hash }) => hash))
    }
    expect(seen).toEqual([...block.transactions].reverse().map(({ hash }) => hash))
    expect(await ask('ots_getBlockTransactions', 9_999_999, 0, 25)).toBe(null)
  })

  test(
    'has in each block what its formatter takes: it shows nothing where a member is missing',
    slow,
    async () => {
      for (const { number, hash, transactions } of blocks) {
        const [byNumber, byHash, page] = [
          await ask<{ block: Json; totalFees: string }>('ots_getBlockDetails', Number(number)),
          await ask<{ block: Json; totalFees: string }>('ots_getBlockDetailsByHash', hash),
          await ask<{ fullblock: Json; receipts: readonly Json[] }>(
            'ots_getBlockTransactions',
            Number(number),
            0,
            25,
          ),
        ]
        for (const block of [byNumber.block, byHash.block, page.fullblock]) {
          for (const name of ['hash', 'parentHash', 'sha3Uncles', 'stateRoot']) readHash(block, name)
          for (const name of [
            'number',
            'timestamp',
            'difficulty',
            'totalDifficulty',
            'gasLimit',
            'gasUsed',
            'size',
          ])
            readQuantity(block, name)
          readAddress(block, 'miner')
          for (const name of ['nonce', 'extraData']) readData(block, name)
          expect(block.transactionCount).toBe(transactions.length)
        }
        readQuantity(byNumber, 'totalFees')
        for (const each of readList(page.fullblock, 'transactions') as readonly Json[]) {
          for (const name of ['type', 'gasPrice', 'gas', 'value', 'nonce', 'r', 's', 'v'])
            readQuantity(each, name)
          readAddress(each, 'from')
          readData(each, 'input')
        }
        for (const receipt of page.receipts) {
          for (const name of [
            'gasUsed',
            'cumulativeGasUsed',
            'blockNumber',
            'type',
            'status',
            'transactionIndex',
          ])
            readQuantity(receipt, name)
          for (const name of ['blockHash', 'transactionHash']) readHash(receipt, name)
        }
      }
    },
  )

  test('shows what a transaction changed in the state', slow, async () => {
    for (const { hash } of all().filter((_, index) => index % 10 === 0)) {
      const { stateDiff } = await ask<{ stateDiff: Readonly<Record<string, Json>> }>(
        'trace_replayTransaction',
        hash,
        ['stateDiff'],
      )
      expect(Object.keys(stateDiff).length).toBeGreaterThan(1)
      for (const { storage, ...members } of Object.values(stateDiff))
        for (const change of [...Object.values(members), ...Object.values(storage as Json)])
          if (change !== '=') expect(Object.keys(change as Json).join()).toMatch(/^[*+-]$/)
    }
  })

  test('shows a transaction: its error, its calls and its operations', slow, async () => {
    let reverted = 0
    for (const { hash } of all().filter((_, index) => index % 4 === 0)) {
      const top = await ask<CallFrame>('debug_traceTransaction', hash, { tracer: 'callTracer' })
      const error = await ask<string>('ots_getTransactionError', hash)
      expect(error).toBe(top.error === 'execution reverted' ? (top.output ?? '0x') : '0x')
      if (error !== '0x') reverted++
      const trace = await ask<readonly { type: string; depth: number; from: string; to: string }[]>(
        'ots_traceTransaction',
        hash,
      )
      expect(trace[0]).toMatchObject({ depth: 0, from: top.from, type: top.type })
      const flat = (frame: CallFrame): CallFrame[] => [frame, ...(frame.calls ?? []).flatMap(flat)]
      const expected = flat(top)
        .slice(1)
        .filter(
          ({ type, value = '0x0' }) =>
            type === 'SELFDESTRUCT' || type.startsWith('CREATE') || (type === 'CALL' && value !== '0x0'),
        )
      const operations = await ask<readonly { type: number; from: string; value: string }[]>(
        'ots_getInternalOperations',
        hash,
      )
      const types: Record<string, number> = { CALL: 0, SELFDESTRUCT: 1, CREATE: 2, CREATE2: 3 }
      expect(operations.map(({ type, from, value }) => ({ type, from, value }))).toEqual(
        expected.map(({ type, from, value }) => ({ type: types[type], from, value })),
      )
    }
    expect(reverted).toBeGreaterThan(0)
    const { error } = await own.client.send('ots_traceTransaction', [`0x${'00'.repeat(31)}09`])
    expect(error).toEqual({ code: -32000, message: 'transaction not found' })
  })

  test('shows an account: its pages in both directions give every transaction once', slow, async () => {
    const addresses = [...new Set(all().flatMap(({ from, to }) => [from, to]))].filter(
      (each) => each !== null,
    )
    for (const address of addresses.slice(0, 12)) {
      const expected = all()
        .filter((transaction) => isIn(transaction, address))
        .map(({ hash }) => hash)
      const backwards: string[] = []
      for (let block = 0; ; ) {
        const page = await ask<Found>('ots_searchTransactionsBefore', address, block, 5)
        expect(page.firstPage).toBe(block === 0)
        expect(page.receipts.map(({ transactionHash }) => transactionHash)).toEqual(
          page.txs.map(({ hash }) => hash),
        )
        for (const [index, { timestamp }] of page.receipts.entries())
          expect(timestamp).toBe(Number(blocks[Number(page.txs[index]?.blockNumber)]?.timestamp))
        backwards.push(...page.txs.map(({ hash }) => hash))
        if (page.lastPage) break
        block = Number(page.txs.at(-1)?.blockNumber)
      }
      expect(backwards.reverse()).toEqual(expected)
      const forwards: string[] = []
      for (let block = 0; ; ) {
        const page = await ask<Found>('ots_searchTransactionsAfter', address, block, 5)
        expect(page.lastPage).toBe(block === 0)
        forwards.push(...[...page.txs].reverse().map(({ hash }) => hash))
        if (page.firstPage) break
        block = Number(page.txs[0]?.blockNumber)
      }
      expect(forwards).toEqual(expected)
    }
  })

  test('finds transactions by sender and nonce, and the creators of contracts', slow, async () => {
    const [first] = all()
    expect(await ask('ots_getTransactionBySenderAndNonce', first?.from, Number(first?.nonce))).toBe(
      first?.hash,
    )
    expect(await ask('ots_getTransactionBySenderAndNonce', first?.from, 9_999_999)).toBe(null)
    let created = 0
    for (const { hash } of all()) {
      const top = await ask<CallFrame>('debug_traceTransaction', hash, { tracer: 'callTracer' })
      const creations = function* (frame: CallFrame): Generator<CallFrame> {
        if (frame.error !== undefined) return
        if (frame.type.startsWith('CREATE')) yield frame
        for (const call of frame.calls ?? []) yield* creations(call)
      }
      for (const { to, from } of creations(top)) {
        if (!(await ask('ots_hasCode', to, 'latest'))) continue
        created++
        expect(await ask('ots_getContractCreator', to)).toEqual({ hash, creator: from })
      }
    }
    expect(created).toBeGreaterThan(0)
    expect(await ask('ots_getContractCreator', first?.from)).toBe(null)
    expect(await ask('ots_hasCode', first?.from)).toBe(false)
  })

  test('and Erigon’s methods give what eth_ gives', async () => {
    const block = blocks.find(({ transactions }) =>
      transactions.some((each) => receiptOf(each).logs.length > 0),
    ) as Block
    expect(await ask('erigon_getBlockReceiptsByBlockHash', block.hash)).toEqual(
      await ask('eth_getBlockReceipts', block.hash),
    )
    expect(await ask('erigon_getLogsByHash', block.hash)).toEqual(
      block.transactions.map((each) => receiptOf(each).logs),
    )
    expect(await ask('erigon_getLogsByHash', `0x${'00'.repeat(31)}09`)).toBe(null)
    for (const { number, timestamp } of blocks.slice(1, 5)) {
      const at = (time: number) => ask<Block>('erigon_getBlockByTimestamp', time, false)
      expect((await at(Number(timestamp))).number).toBe(number)
      const before = await at(Number(timestamp) - 1)
      expect(Number(before.timestamp)).toBeLessThan(Number(timestamp))
    }
    expect(await ask('erigon_getBlockByTimestamp', '0x0')).toMatchObject({ number: '0x0' })
    expect(await ask('erigon_getBlockByTimestamp', '0xffffffff')).toMatchObject({ hash: blocks.at(-1)?.hash })
    expect(await ask('erigon_forks')).toMatchObject({ genesis: blocks[0]?.hash })
    const logs = await ask<readonly { blockNumber: string; topics: readonly string[] }[]>('eth_getLogs', {
      fromBlock: '0x0',
    })
    const latest = await ask<typeof logs>('erigon_getLatestLogs', {}, { logCount: 7 })
    expect(latest).toHaveLength(7)
    const numbers = latest.map(({ blockNumber }) => Number(blockNumber))
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a))
    expect(numbers[0]).toBe(Math.max(...logs.map(({ blockNumber }) => Number(blockNumber))))
    expect(await ask<typeof logs>('erigon_getLatestLogs', {})).toHaveLength(1)
    const topic = logs.find(({ topics }) => topics.length > 1)?.topics[1]
    const anywhere = await ask<typeof logs>(
      'erigon_getLatestLogs',
      { topics: [topic] },
      { logCount: 1_000, ignoreTopicsOrder: true },
    )
    expect(anywhere).toHaveLength(logs.filter(({ topics }) => topics.includes(topic ?? '')).length)
    const two = await ask<typeof logs>('erigon_getLatestLogs', {}, { blockCount: 2 })
    expect(new Set(two.map(({ blockNumber }) => blockNumber)).size).toBe(2)
  })
})
