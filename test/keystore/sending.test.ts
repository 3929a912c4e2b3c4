import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { loadSecret } from '../../src/rpc/access/secret.ts'
import { postJson, sendIpc } from '../support/clients.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { forgeToken } from '../support/rpc/forgeToken.ts'
import { startTestService } from '../support/service.ts'
import { testSome } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

/** Accounts of key files on a node that runs: who may sign with them, and which nonces they get. */

const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

describe('many at once from one account', () => {
  let node: TestNode
  afterEach(() => node.close())

  testSome(1, [
    ['blocks to come', ['--block-time=10m']],
    ['a block for each', []],
  ])(
    'have nonces without gaps: %s',
    async (_, flags) => {
      node = await startTestNode('--lightkdf', ...flags)
      const account = await node.call<string>('personal_newAccount', 'p')
      const before = Number(await node.call<string>('eth_getTransactionCount', bob, 'pending'))
      const send = (index: number): Promise<string> => {
        const transaction = { from: bob, to: account, value: '0x1' }
        // Some fail: more than there is, a passphrase that is wrong.
        if (index % 5 === 1)
          return node.call('eth_sendTransaction', { ...transaction, value: `0x${'ff'.repeat(20)}` })
        if (index % 5 === 2) return node.call('personal_sendTransaction', transaction, '')
        if (index % 10 === 3) return node.call('personal_sendTransaction', transaction, 'wrong')
        return node.call('eth_sendTransaction', transaction)
      }
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => send(index)))
      const hashes = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      expect(hashes).toHaveLength(14)
      const nonces: number[] = []
      for (const hash of hashes) {
        const { nonce } = await node.call<{ nonce: string }>('eth_getTransactionByHash', hash)
        nonces.push(Number(nonce))
      }
      expect(nonces.sort((a, b) => a - b)).toEqual(Array.from({ length: 14 }, (_, index) => before + index))
      expect(await node.call('txpool_status')).toMatchObject({ queued: '0x0' })
    },
    { timeout: 60_000 },
  )
})

describe('an account of a key file', () => {
  let close: () => Promise<void>
  afterEach(() => close())

  /** Without the dev profile: nothing is unlocked but what the operator unlocks. */
  const start = async (...flags: readonly string[]) => {
    const home = temporaryHome()
    const given = ['--dev=false', '--json-rpc.api=eth,personal', '--lightkdf', ...flags]
    const service = await startTestService(home, { flags: given })
    close = async () => {
      await service.close()
      rmSync(home, { recursive: true, force: true })
    }
    const body = (method: string, params: readonly unknown[]): string =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const token = {
      Authorization: `Bearer ${forgeToken({ claims: { iat: 0 }, secret: loadSecret(home) })}`,
    }
    const remote = { 'X-Forwarded-For': '203.0.113.7' }
    const headersOf = { local: {}, remote, 'remote with a token': { ...remote, ...token } }
    const call = async (who: keyof typeof headersOf, method: string, ...params: readonly unknown[]) => {
      const answer = await postJson(service.urls().http ?? '', body(method, params), headersOf[who])
      const { result, error } = JSON.parse(answer) as { result?: unknown; error?: { code: number } }
      return error?.code ?? result
    }
    const operate = async (method: string, ...params: readonly unknown[]) =>
      (JSON.parse(await sendIpc(join(home, 'perihelion.ipc'), body(method, params))) as { result: string })
        .result
    return { call, operate }
  }

  test('is the only one there is, and signs for whom it should', async () => {
    const { call, operate } = await start()
    expect(await call('local', 'eth_accounts')).toEqual([])
    const account = await operate('personal_newAccount', 'p')
    expect(await call('local', 'eth_accounts')).toEqual([account])
    expect(await call('local', 'eth_sign', alice, '0x00')).toBe(-32_000)
    expect(await call('local', 'eth_sign', account, '0x00')).toBe(-32_000)
    expect(await call('remote', 'personal_unlockAccount', account, 'p')).toBe(4100)
    expect(await call('local', 'personal_unlockAccount', account, 'p')).toBe(4100)
    expect(await call('remote with a token', 'personal_unlockAccount', account, 'p')).toBe(true)
    for (const [method, ...params] of [
      ['eth_sign', account, '0x00'],
      ['eth_signTransaction', { from: account, to: alice, gas: '0x5208', gasPrice: '0x1', nonce: '0x0' }],
    ] as const) {
      expect(await call('remote', method, ...params)).toBe(4100)
      expect(typeof (await call('local', method, ...params))).not.toBe('number')
      expect(typeof (await call('remote with a token', method, ...params))).not.toBe('number')
    }
    expect(await operate('personal_lockAccount', account)).toBe(true)
    expect(await call('remote with a token', 'eth_sign', account, '0x00')).toBe(-32_000)
  })

  test('signs for remote callers where the operator says so', async () => {
    const { call, operate } = await start('--json-rpc.allow-insecure-unlock')
    const account = await operate('personal_newAccount', 'p')
    expect(await call('remote', 'eth_sign', account, '0x00')).toBe(-32_000)
    await operate('personal_unlockAccount', account, 'p')
    expect(await call('remote', 'eth_sign', account, '0x00')).toMatch(/^0x/)
    // What is private stays so.
    expect(await call('remote', 'personal_listAccounts')).toBe(4100)
  })
})
