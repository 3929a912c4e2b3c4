import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/freePort.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { testNetwork } from './describeNetwork.ts'

interface NativeTransaction {
  readonly hash: string
  readonly height: string
  readonly index: number
  readonly tx: string
  readonly tx_result: { readonly code: number }
}

testNetwork('a node beside CometBFT tells of its native side', { timeout: 60_000 }, async () => {
  const home = mkdtempSync(join(tmpdir(), 'perihelion-cosmos-'))
  const program = runProgram([
    'start',
    ...isolatedFlags(home),
    ...['--engine', 'cometbft', '--block-time', '100ms', '--dev'],
    ...['--engine-rpc', `http://127.0.0.1:${await freePort()}`],
    ...['--engine-p2p', `127.0.0.1:${await freePort()}`],
  ])
  try {
    const { http = '' } = await program.ready()
    const call = async <T>(method: string, ...params: unknown[]): Promise<T> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { 'content-type': 'application/json' }
      const reply = (await (await fetch(http, { method: 'POST', headers, body })).json()) as {
        readonly result?: T
        readonly error?: { readonly message: string }
      }
      if (reply.error) throw new Error(`${method}: ${reply.error.message}`)
      return reply.result as T
    }
    const [from] = await call<string[]>('eth_accounts')
    const hashes: string[] = []
    for (let nonce = 0; nonce < 3; nonce++)
      hashes.push(await call('eth_sendTransaction', { from, to: from, value: '0x1', gas: '0x5208' }))
    const last = hashes.at(-1)
    await eventually(async () => (await call('eth_getTransactionReceipt', last)) !== null)
    for (const hash of hashes) {
      const native = await call<string>('cosmos_getTransactionHash', hash)
      expect(native).toMatch(/^[0-9A-F]{64}$/)
      expect(await call('cosmos_getEthereumHash', native)).toBe(hash)
      const found = await call<NativeTransaction>('cosmos_getTransaction', hash)
      const bytes = Buffer.from(found.tx, 'base64')
      expect(createHash('sha256').update(bytes).digest('hex').toUpperCase()).toBe(native)
      expect(found).toMatchObject({ hash: native, tx_result: { code: 0 } })
      const height = `0x${Number(found.height).toString(16)}`
      const block = await call<{ block: { data: { txs: string[] } } }>('cosmos_getBlock', height)
      expect(block.block.data.txs[found.index]).toBe(found.tx)
      const results = await call<{ height: string }>('cosmos_getBlockResults', height)
      expect(results.height).toBe(found.height)
    }
    expect(await call('cosmos_getBlock', '0x0')).toBeNull()
    expect(await call('cosmos_getEthereumHash', '00'.repeat(32))).toBeNull()
    expect(await call('cosmos_toBech32', from)).toMatch(/^perihelion1/)
  } finally {
    program.child.kill('SIGTERM')
    await program.ended()
    rmSync(home, { recursive: true, force: true })
  }
})
