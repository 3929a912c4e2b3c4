import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChainFiles, serveChain } from '../../support/programs/chainFiles.ts'
import { findGeth } from '../../support/programs/findProgram.ts'
import type { RpcClient } from '../../support/rpc/rpcClient.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { serveInGeth } from '../gethChain.ts'
import { differences, digest } from './compare.ts'
import { loadRecorded, type Recorded, scriptFailure, unpackChain } from './fixtures.ts'
import { traceChain } from './traceChain.ts'
import { tracers } from './tracers.ts'

describe('traces of a chain of everything', () => {
  let folder: string
  let files: ChainFiles
  let recorded: Recorded
  let own: { readonly client: RpcClient; close(): Promise<void> }

  beforeAll(async () => {
    folder = temporaryHome()
    files = unpackChain(folder)
    recorded = loadRecorded()
    const flags = ['--json-rpc.api=eth,debug', '--json-rpc.trace-timeout=60s']
    own = await serveChain(files, join(folder, 'served'), flags)
  })

  afterAll(async () => {
    await own.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('there are enough of them', () => {
    expect(recorded.transactions.length).toBeGreaterThanOrEqual(200)
    expect(Object.keys(recorded.digests)).toEqual(Object.keys(tracers))
  })

  test('every tracer says of every transaction what geth said', slow, async () => {
    const counts: Record<string, number> = {}
    const wrong: unknown[] = []
    await traceChain(own.client, ({ tracer, hash, output }) => {
      const place = counts[tracer] ?? 0
      counts[tracer] = place + 1
      const sample = recorded.samples[tracer]?.[hash]
      const different = sample === undefined ? [] : differences(sample, output)
      const said = recorded.digests[tracer]?.[place]
      const isSame = said === digest(output) || (said === scriptFailure && Array.isArray(output))
      if (!isSame || hash !== recorded.transactions[place]) wrong.push({ tracer, hash, different })
    })
    expect(wrong.slice(0, 10)).toEqual([])
    const each = recorded.transactions.length
    expect(counts).toEqual(Object.fromEntries(Object.keys(tracers).map((name) => [name, each])))
  })

  test('a transaction alone gives what it gives in its block', slow, async () => {
    const config = { tracer: 'callTracer', tracerConfig: { withLog: true } }
    const wrong: string[] = []
    for (const [place, hash] of recorded.transactions.entries()) {
      if (place % 5 !== 4) continue
      const { result } = await own.client.send('debug_traceTransaction', [hash, config])
      const isProof = JSON.stringify(result).includes('kzg proof')
      if (!isProof && digest(result) !== recorded.digests['calls with logs']?.[place]) wrong.push(hash)
    }
    expect(wrong).toEqual([])
  })

  test('geth, where it is there, says all this now, and the same of calls and roots', async (ctx) => {
    const geth = findGeth()
    if (geth === undefined) return ctx.skip('geth is neither on the path nor named by GETH')
    const home = join(folder, 'geth')
    mkdirSync(home)
    const peer = await serveInGeth(files, { geth, folder: home })
    try {
      const both = async (method: string, ...params: readonly unknown[]): Promise<void> => {
        const [theirs, ours] = [await peer.client.send(method, params), await own.client.send(method, params)]
        const found =
          theirs.error === undefined
            ? differences(theirs.result, ours.result)
            : differences(theirs.error.message, ours.error?.message)
        expect(found, `${method} ${JSON.stringify(params).slice(0, 300)}`).toEqual([])
      }
      for (const block of ['0x1', '0x10', '0x30', '0x48']) {
        const { hash } = await peer.client.call<{ hash: string }>('eth_getBlockByNumber', block, false)
        await both('debug_intermediateRoots', hash)
        const rlp = await peer.client.call<string>('debug_getRawBlock', block)
        await both('debug_traceBlock', rlp, { tracer: 'callTracer' })
        await both('debug_traceBlockByHash', hash, { tracer: 'prestateTracer' })
        const { transactions } = await peer.client.call<{
          transactions: readonly { from: string; to: string | null; input: string; value: string }[]
        }>('eth_getBlockByNumber', block, true)
        for (const { from, to, input, value } of transactions)
          for (const config of Object.values(tracers)) {
            const request = { from, ...(to !== null && { to }), data: input, value, gas: '0x61a80' }
            await both('debug_traceCall', request, block, config)
            await both('debug_traceCall', request, block, { ...config, txIndex: '0x1' })
          }
      }
      const stores = { to: '0x0000000000000000000000000000000000002002', gas: '0x30d40' }
      const balance = { [`0x${'01'.repeat(20)}`]: { balance: '0x5' } }
      for (const config of Object.values(tracers)) {
        const blockOverrides = { number: '0x91', time: '0x99999999', baseFeePerGas: '0x5' }
        await both('debug_traceCall', stores, 'latest', {
          ...config,
          stateOverrides: balance,
          blockOverrides,
        })
        const code = { [stores.to]: { code: '0x4360005260206000f3', stateDiff: {} } }
        await both('debug_traceCall', stores, 'latest', { ...config, stateOverrides: code, blockOverrides })
      }
      await both('debug_traceTransaction', `0x${'00'.repeat(31)}01`)
      await both('debug_traceBlockByNumber', '0x0')
      await both(
        'debug_traceCall',
        { from: `0x${'11'.repeat(20)}`, to: stores.to, value: '0x1' },
        'latest',
        {},
      )
      await both('debug_traceCall', { to: stores.to, gas: '0x1000' }, 'latest', {})
      await both('debug_traceCall', stores, 'pending', {})
      await both('debug_traceCall', stores, '0x1', { txIndex: '0x7' })
    } finally {
      await peer.close()
    }
  })
})
