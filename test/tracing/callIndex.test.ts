import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { unpackChain } from '../geth/traces/fixtures.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { serveChain } from '../support/programs/chainFiles.ts'
import { createRpcClient, type RpcClient } from '../support/rpc/rpcClient.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

interface Trace {
  readonly action: Readonly<Record<string, string>>
  readonly result: Readonly<Record<string, string>> | null
  readonly blockNumber: number
  readonly transactionHash: string
}

interface FoundPage {
  readonly txs: readonly { readonly hash: string; readonly blockNumber: string }[]
  readonly firstPage: boolean
  readonly lastPage: boolean
  readonly coversCalls: boolean
}

const fromOf = ({ action }: Trace): string => (action.from ?? action.address) as string
const toOf = ({ action, result }: Trace): string | undefined =>
  action.to ?? action.refundAddress ?? result?.address

/** Returns all pages of Otterscan's search, from the newest or from the oldest transaction on. */
const searchAll = async (client: RpcClient, address: string, way: 'Before' | 'After') => {
  const hashes: string[] = []
  for (let block = 0; ; ) {
    const page = await client.call<FoundPage>(`ots_searchTransactions${way}`, address, block, 3)
    const found = page.txs.map(({ hash }) => hash)
    if (way === 'Before') hashes.push(...found)
    else hashes.unshift(...found)
    if (way === 'Before' ? page.lastPage : page.firstPage) return { hashes, coversCalls: page.coversCalls }
    block = Number(page.txs.at(way === 'Before' ? -1 : 0)?.blockNumber)
  }
}

/** Repeats a check until it passes. */
const settles = (check: () => Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 120_000, interval: 200 })

describe('trace_filter with the index of calls', slow, () => {
  let folder: string
  let plain: { readonly client: RpcClient; close(): Promise<void> }

  beforeAll(async () => {
    folder = temporaryHome()
    const flags = ['--json-rpc.api=eth,trace,ots']
    plain = await serveChain(unpackChain(folder), join(folder, 'served'), flags)
  })

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
  })

  test('gives what it gives without, for every address of the chain', async () => {
    const filter = { fromBlock: '0x0', toBlock: 'latest' }
    const all = await plain.client.call<readonly Trace[]>('trace_filter', filter)
    const places = [
      fromOf(all[0] as Trace),
      ...[...new Set(all.map(toOf))].filter((each) => each !== undefined),
    ]
    const searched = places.filter((_, index) => index % 12 === 0)
    const without = new Map<string, readonly string[]>()
    for (const address of searched) {
      const { hashes, coversCalls } = await searchAll(plain.client, address, 'Before')
      expect(coversCalls).toBe(false)
      without.set(address, hashes)
    }
    await plain.close()
    const program = runProgram([
      'start',
      ...isolatedFlags(join(folder, 'served')),
      ...['--engine=none', '--json-rpc.api=eth,trace,debug,ots', '--index.calls'],
    ])
    try {
      const { http = '' } = await program.ready()
      const client = createRpcClient(http)
      await settles(async () => {
        expect(program.stderr()).not.toMatch(/could not be indexed/)
        // The index is there when a range is answered that it alone allows.
        expect(
          await client.call('trace_filter', { ...filter, fromAddress: fromOf(all[0] as Trace) }),
        ).not.toEqual([])
      })
      const senders = [...new Set(all.map(fromOf))]
      const recipients = [...new Set(all.map(toOf))].filter((each) => each !== undefined)
      for (const address of senders)
        expect(await client.call('trace_filter', { ...filter, fromAddress: [address] })).toEqual(
          all.filter((trace) => fromOf(trace) === address),
        )
      for (const address of recipients)
        expect(await client.call('trace_filter', { ...filter, toAddress: [address] })).toEqual(
          all.filter((trace) => toOf(trace) === address),
        )
      for (const address of searched) {
        const inCalls = all
          .filter((trace) => fromOf(trace) === address || toOf(trace) === address)
          .map(({ transactionHash }) => transactionHash)
        const expected = [...new Set([...(without.get(address) ?? []), ...inCalls])].sort()
        const before = await searchAll(client, address, 'Before')
        expect(before.coversCalls).toBe(true)
        expect([...before.hashes].sort(), address).toEqual(expected)
        expect((await searchAll(client, address, 'After')).hashes).toEqual(before.hashes)
      }
      const [fromAddress, toAddress] = [senders.slice(0, 4), recipients.slice(0, 9)]
      const isBoth = (trace: Trace) =>
        fromAddress.includes(fromOf(trace)) && toAddress.includes(toOf(trace) as string)
      const both = { ...filter, fromAddress, toAddress, mode: 'intersection' }
      expect(await client.call('trace_filter', both)).toEqual(all.filter(isBoth))
      expect(await client.call('trace_filter', { ...both, after: 1, count: 2 })).toEqual(
        all.filter(isBoth).slice(1, 3),
      )
    } finally {
      program.child.kill('SIGTERM')
      expect(await program.ended()).toBe(0)
    }
  })
})

describe('the index of calls of a chain that grows', slow, () => {
  let home: string
  let program: Program
  let client: RpcClient
  const start = async (...flags: readonly string[]): Promise<void> => {
    program = runProgram(['start', ...isolatedFlags(home), ...flags])
    client = createRpcClient((await program.ready()).http ?? '')
  }
  const stop = async (): Promise<void> => {
    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
  }

  beforeAll(() => {
    home = temporaryHome()
  })

  afterAll(async () => {
    await stop()
    rmSync(home, { recursive: true, force: true })
  })

  const send = async (count: number): Promise<void> => {
    const [from, to] = await client.call<string[]>('eth_accounts')
    const calls = Array.from({ length: count }, () => ({
      method: 'eth_sendTransaction',
      params: [{ from, to, value: '0x1' }],
    }))
    for (let at = 0; at < count; at += 100) await client.batch(calls.slice(at, at + 100))
  }
  const filter = async (more: object = {}) => {
    const [from] = await client.call<string[]>('eth_accounts')
    return client.send('trace_filter', [{ fromBlock: '0x0', fromAddress: [from], ...more }])
  }

  test('is filled when it is turned on, after which any range is answered', async () => {
    await start()
    await send(1_200)
    const head = Number(await client.call('eth_blockNumber'))
    expect(head).toBeGreaterThan(1_000)
    const without = await filter()
    expect(without.error?.code).toBe(-32005)
    expect(without.error?.message).toMatch(
      /at most 1000 are traced without an index of calls \(index\.calls\)/,
    )
    await stop()
    await start('--index.calls')
    await settles(async () => {
      const { result, error } = await filter()
      if (error !== undefined) {
        expect(error.code).toBe(-32002)
        expect(error.message).toMatch(/has reached block \d+ of \d+/)
      }
      expect(result).toHaveLength(1_200)
    })
  })

  test('follows the head, and a rollback', async () => {
    await send(5)
    await settles(async () => expect((await filter()).result).toHaveLength(1_205))
    const token = runProgram(['token', '--home', home])
    await token.ended()
    const setHead = await fetch(client.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token.stdout().trim()}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_setHead', params: ['0x64'] }),
    })
    expect(await setHead.json()).toMatchObject({ result: null })
    const before = await client.call<readonly unknown[]>('trace_filter', { fromBlock: '0x0' })
    expect((await filter()).result).toEqual(before)
    await send(30)
    const after = await client.call<readonly unknown[]>('trace_filter', { fromBlock: '0x0' })
    expect(after).toHaveLength(before.length + 30)
    await settles(async () => expect((await filter()).result).toEqual(after))
  })

  test('goes on after a restart, and stands still while it is off', async () => {
    await stop()
    await start()
    await send(3)
    const all = await client.call<readonly unknown[]>('trace_filter', { fromBlock: '0x0' })
    await stop()
    await start('--index.calls')
    await settles(async () => expect((await filter()).result).toEqual(all))
  })

  test('is built again where its file is damaged', async () => {
    const all = await client.call<readonly unknown[]>('trace_filter', { fromBlock: '0x0' })
    await stop()
    writeFileSync(join(home, 'data', 'calls.mdb'), Buffer.alloc(100_000, 'no index'))
    await start('--index.calls')
    await settles(async () => {
      expect((await filter()).result).toEqual(all)
      expect(program.stderr() + program.stdout()).toMatch(/the index of calls is damaged and is built again/)
    })
  })
})
