import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

/** Emits a log with 64 bytes of data. */
const logCode = '0x60405fa000'
const initCode = `0x64${logCode.slice(2)}5f526005601bf3`
const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const kinds = ['blocks', 'transactions', 'receipts', 'logs']

type Json = Readonly<Record<string, unknown>>

describe('perihelion follow', () => {
  let folder: string
  let node: Program
  let http: string
  let head: number
  let contract: string

  const call = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const text = await postJson(http, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = JSON.parse(text) as { result: T; error?: { message: string } }
    if (error) throw new Error(error.message)
    return result
  }
  const send = async (): Promise<void> => {
    await call('eth_sendTransaction', { from: sender, to: contract, gas: '0x186a0' })
  }
  const lines = (out: string, kind: string): Json[] =>
    readFileSync(join(folder, out, `${kind}.ndjson`), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Json)
  const follow = (out: string, ...flags: string[]): Program =>
    runProgram([
      'follow',
      '--home',
      join(folder, 'home'),
      '--out',
      out === '-' ? '-' : join(folder, out),
      ...flags,
    ])
  const finish = async (program: Program): Promise<void> =>
    expect({ code: await program.ended(), stderr: program.stderr() }).toMatchObject({ code: 0 })
  const filesOf = (out: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(join(folder, out))
        .filter((name) => name.endsWith('.ndjson'))
        .map((name) => [name, readFileSync(join(folder, out, name), 'utf8')]),
    )

  beforeAll(async () => {
    folder = temporaryHome()
    node = runProgram([
      'start',
      ...isolatedFlags(join(folder, 'home')),
      '--json-rpc.batch-response-max-size=40000',
    ])
    http = (await node.ready()).http ?? ''
    const hash = await call<string>('eth_sendTransaction', { from: sender, data: initCode, gas: '0x30d40' })
    contract = (await call<{ contractAddress: string }>('eth_getTransactionReceipt', hash)).contractAddress
    for (let i = 0; i < 40; i++) await send()
    head = Number(await call('eth_blockNumber'))
  })
  afterAll(async () => {
    node.child.kill('SIGTERM')
    await node.ended()
    rmSync(folder, { recursive: true, force: true })
  })

  test('every record of every block is there once, as the node answers it', async () => {
    await finish(follow('all', '--to', String(head), '--traces'))
    const blocks = lines('all', 'blocks')
    expect(blocks.map(({ number }) => Number(number))).toEqual(Array.from({ length: head + 1 }, (_, i) => i))
    const transactions = lines('all', 'transactions')
    const receipts = lines('all', 'receipts')
    const logs = lines('all', 'logs')
    for (const block of blocks) {
      const { transactions: expected, ...header } = await call<Json & { transactions: Json[] }>(
        'eth_getBlockByNumber',
        block.number,
        true,
      )
      expect(block).toEqual({
        record: 'block',
        ...header,
        transactionCount: `0x${expected.length.toString(16)}`,
      })
      const ofBlock = ({ blockHash }: Json): boolean => blockHash === block.hash
      const common = { blockTimestamp: header.timestamp }
      expect(transactions.filter(ofBlock)).toEqual(
        expected.map((transaction) => ({ record: 'transaction', ...transaction, ...common })),
      )
      const answered = await call<(Json & { logs: Json[] })[]>('eth_getBlockReceipts', block.number)
      expect(receipts.filter(ofBlock)).toEqual(
        answered.map(({ logs: _, ...receipt }) => ({ record: 'receipt', ...receipt, ...common })),
      )
      expect(logs.filter(ofBlock)).toEqual(
        answered.flatMap(({ logs }) => logs.map((log) => ({ record: 'log', ...log, ...common }))),
      )
    }
    expect(logs).toHaveLength(40)
    const traces = lines('all', 'traces')
    expect(traces.map(({ transactionHash }) => transactionHash)).toEqual(transactions.map(({ hash }) => hash))
    for (const { transactionHash, trace } of traces.slice(-3))
      expect(trace).toEqual(await call('debug_traceTransaction', transactionHash, { tracer: 'callTracer' }))
  })

  test('runs that are killed anywhere leave no gap and nothing twice', slow, async () => {
    await finish(follow('whole', '--to', String(head)))
    const random = createRandom(7)
    for (let round = 0; round < 6; round++) {
      const program = follow('killed', '--to', String(Math.round((head * (round + 1)) / 7)))
      if (random.chance(0.5)) await new Promise((resolve) => setTimeout(resolve, random.below(600)))
      else await program.ended()
      program.child.kill('SIGKILL')
      await program.ended()
      // What a process that died between the files and the cursor leaves.
      if (existsSync(join(folder, 'killed', 'cursor.json')))
        for (const kind of kinds)
          if (random.chance(0.5)) appendFileSync(join(folder, 'killed', `${kind}.ndjson`), '{"record":"blo')
    }
    await finish(follow('killed', '--to', String(head)))
    expect(filesOf('killed')).toEqual(filesOf('whole'))
  })

  test('goes on with the chain until it is told to stop, over a URL as over the socket', async () => {
    const program = runProgram(['follow', '--url', http, '--out', join(folder, 'live'), '--poll', '20'])
    const blocks = () =>
      existsSync(join(folder, 'live', 'blocks.ndjson')) ? lines('live', 'blocks').length : 0
    await eventually(() => blocks() === head + 1)
    await send()
    head++
    await eventually(() => blocks() === head + 1)
    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
    expect(JSON.parse(readFileSync(join(folder, 'live', 'cursor.json'), 'utf8'))).toMatchObject({
      next: head + 1,
    })
  })

  test('the standard output has the records block by block, and its cursor in a file', async () => {
    const cursor = join(folder, 'stream.json')
    const first = follow('-', '--to', '9', '--cursor', cursor)
    await finish(first)
    const second = follow('-', '--to', '12', '--cursor', cursor)
    await finish(second)
    const records = (first.stdout() + second.stdout())
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Json)
    const blocks = records.filter(({ record }) => record === 'block')
    expect(blocks.map(({ number }) => Number(number))).toEqual(Array.from({ length: 13 }, (_, i) => i))
    expect(records.map(({ record }) => record).slice(0, 6)).toEqual([
      'block',
      'block',
      'transaction',
      'receipt',
      'block',
      'transaction',
    ])
  })

  test('--only leaves the rest out, asks no more of the node than that, and is gone on with', async () => {
    await finish(follow('every', '--to', '12', '--traces'))
    await finish(follow('some', '--to', '9', '--only', 'logs', 'blocks'))
    await finish(follow('some', '--to', '12', '--only', 'blocks', 'logs'))
    const every = filesOf('every')
    expect(filesOf('some')).toEqual({
      'blocks.ndjson': every['blocks.ndjson'],
      'logs.ndjson': every['logs.ndjson'],
    })
    await finish(follow('sent', '--to', '12', '--only', 'transactions', '--traces'))
    expect(filesOf('sent')).toEqual({
      'transactions.ndjson': every['transactions.ndjson'],
      'traces.ndjson': every['traces.ndjson'],
    })
    const stream = follow('-', '--to', '12', '--only', 'receipts')
    await finish(stream)
    expect(stream.stdout()).toBe(every['receipts.ndjson'])
    for (const [flags, code, text] of [
      [[], 74, /with --only blocks logs/],
      [['--only', 'logs'], 74, /with --only blocks logs/],
      [['--only', 'accounts'], 64, /--only: got accounts, wanted some of blocks, transactions/],
    ] as const) {
      const other = follow('some', '--to', '20', ...flags)
      expect(await other.ended()).toBe(code)
      expect(other.stderr()).toMatch(text)
    }
  })

  test('what cannot go on ends with one line', slow, async () => {
    const refused = async (program: Program, code: number, text: RegExp): Promise<void> => {
      expect(await program.ended()).toBe(code)
      expect(program.stderr()).toMatch(text)
      expect(program.stderr().trim().split('\n')).toHaveLength(1)
    }
    await finish(follow('other', '--to', '5'))
    const path = join(folder, 'other', 'cursor.json')
    const cursor = JSON.parse(readFileSync(path, 'utf8')) as Json
    await refused(follow('other', '--to', '8', '--traces'), 74, /without --traces/)
    writeFileSync(path, JSON.stringify({ ...cursor, chainId: '0x1' }))
    await refused(follow('other', '--to', '8'), 74, /the cursor is of chain 1/)
    writeFileSync(path, JSON.stringify({ ...cursor, hash: `0x${'11'.repeat(32)}` }))
    await refused(follow('other', '--to', '8'), 74, /block 5 of the node is not the one/)
    writeFileSync(path, '{')
    await refused(follow('other', '--to', '8'), 74, /is not a cursor/)
    writeFileSync(path, JSON.stringify(cursor))
    truncateSync(join(folder, 'other', 'blocks.ndjson'), 10)
    await refused(follow('other', '--to', '8'), 74, /has 10 bytes/)
    await refused(follow('x', '--from', 'first'), 64, /--from: got first/)
    await refused(follow('x', '--url', http), 64, /--url or --home/)
    const busy = follow('busy')
    await eventually(() => existsSync(join(folder, 'busy', 'cursor.json')))
    await refused(follow('busy'), 75, /the folder .* is in use/)
    busy.child.kill('SIGTERM')
    expect(await busy.ended()).toBe(0)
  })
})
