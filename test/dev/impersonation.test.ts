import { rmSync } from 'node:fs'
import { keccak256 } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { boxCode, storeData } from '../support/boxContract.ts'
import { eventually } from '../support/eventually.ts'
import { startNodeAt, type TestNode } from '../support/node.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

/** Transactions of accounts that nobody has the key of. */

type Json = Record<string, unknown>

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const whale = `0x${'99'.repeat(20)}`
const box = `0x${'b0'.repeat(20)}`
const ether = '0xde0b6b3a7640000'

let home: string
let node: TestNode
beforeEach(async () => {
  home = temporaryHome()
  node = await startNodeAt(home)
})
afterEach(async () => {
  await node.close()
  rmSync(home, { recursive: true, force: true })
})

const call = <T = string>(method: string, ...params: unknown[]): Promise<T> => node.call<T>(method, ...params)
const restart = async (): Promise<void> => {
  await node.close()
  node = await startNodeAt(home)
}

test('an impersonated account sends, and the sender stays known after a restart', slow, async () => {
  const request = { from: whale, to: alice, value: '0x5' }
  expect(await node.failure('eth_sendTransaction', request)).toMatchObject({ message: 'unknown account' })
  await call('anvil_setBalance', whale, ether)
  await call('hardhat_impersonateAccount', whale)
  const hash = await call('eth_sendTransaction', request)
  const facts = async () => {
    expect(await call<Json>('eth_getTransactionByHash', hash)).toMatchObject({
      from: whale,
      blockNumber: '0x1',
    })
    expect(await call<Json>('eth_getTransactionReceipt', hash)).toMatchObject({ from: whale, status: '0x1' })
    const trace = await call<Json>('debug_traceTransaction', hash, { tracer: 'callTracer' })
    expect(trace).toMatchObject({ from: whale, to: alice, value: '0x5' })
    expect(await call('eth_getTransactionCount', whale)).toBe('0x1')
  }
  await facts()
  await restart()
  await facts()
  // What was set is kept too.
  await call('eth_sendTransaction', request)
  await call('anvil_stopImpersonatingAccount', whale)
  expect(await node.failure('eth_sendTransaction', request)).toMatchObject({ message: 'unknown account' })
})

test('a contract sends', slow, async () => {
  await call('anvil_setCode', whale, '0x00')
  await call('anvil_setBalance', whale, ether)
  await call('anvil_setCode', box, boxCode)
  await call('anvil_impersonateAccount', whale)
  const hash = await call('eth_sendTransaction', { from: whale, to: box, data: storeData(3n) })
  expect(await call<Json>('eth_getTransactionReceipt', hash)).toMatchObject({ from: whale, status: '0x1' })
  expect(await call('eth_getStorageAt', box, '0x0', 'latest')).toBe(`0x${'00'.repeat(31)}03`)
  await call('evm_mine')
  expect(await call<Json>('debug_traceTransaction', hash, { tracer: 'callTracer' })).toMatchObject({
    from: whale,
  })
})

test('what an impersonated account sent is among the pending transactions of the node', async () => {
  await call('evm_setAutomine', false)
  await call('anvil_setBalance', whale, ether)
  await call('anvil_impersonateAccount', whale)
  const own = await call('eth_sendTransaction', { from: alice, to: whale })
  const foreign = await call('eth_sendTransaction', { from: whale, to: alice })
  const pending = await call<readonly Json[]>('eth_pendingTransactions')
  expect(pending.map(({ hash, from }) => [hash, from])).toEqual([
    [own, alice],
    [foreign, whale],
  ])
})

test('what a contract sent stays in the pool while its account changes', async () => {
  await call('anvil_setCode', whale, '0x00')
  await call('anvil_setBalance', whale, ether)
  await call('anvil_impersonateAccount', whale)
  await call('evm_setAutomine', false)
  const hashes = [
    await call('eth_sendTransaction', { from: whale, to: alice, value: '0x5' }),
    await call('eth_sendTransaction', { from: whale, to: alice, value: '0x6', nonce: '0x1' }),
  ]
  await call('anvil_setBalance', whale, `${ether}0`)
  await call('evm_mine')
  for (const hash of hashes)
    expect(await call<Json>('eth_getTransactionReceipt', hash)).toMatchObject({ from: whale, status: '0x1' })
})

test('two accounts that send the same have different hashes', async () => {
  const other = `0x${'98'.repeat(20)}`
  await call('anvil_autoImpersonateAccount', true)
  await call('anvil_setBalance', whale, ether)
  await call('anvil_setBalance', other, ether)
  const request = { to: alice, value: '0x5', nonce: '0x0', gas: '0x5208', gasPrice: '0x77359400' }
  const first = await call('eth_sendTransaction', { ...request, from: whale })
  const second = await call('eth_sendTransaction', { ...request, from: other })
  expect(first).not.toBe(second)
  await call('anvil_autoImpersonateAccount', false)
  expect(await node.failure('eth_sendTransaction', { ...request, from: whale })).toMatchObject({
    code: -32000,
  })
})

test('what an impersonated account sent waits through a restart', slow, async () => {
  await call('anvil_setBalance', whale, ether)
  await call('evm_mine')
  await call('anvil_impersonateAccount', whale)
  await call('evm_setAutomine', false)
  const hash = await call('eth_sendTransaction', { from: whale, to: alice, value: '0x5' })
  await restart()
  await expect.poll(() => call<Json | null>('eth_getTransactionReceipt', hash)).toMatchObject({ from: whale })
})

test('its bytes are not a signed transaction', async () => {
  await call('anvil_setBalance', whale, ether)
  await call('anvil_impersonateAccount', whale)
  await call('evm_setAutomine', false)
  const hash = await call('eth_sendTransaction', { from: whale, to: alice, value: '0x5' })
  const raw = await call('eth_getRawTransactionByHash', hash)
  await call('anvil_dropAllTransactions')
  expect(await node.failure('eth_sendRawTransaction', raw)).toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^invalid sender/),
  })
})

test('an unsigned transaction of any account is taken by its own method', async () => {
  await call('anvil_setBalance', whale, ether)
  const hash = await call('eth_sendUnsignedTransaction', { from: whale, to: alice, value: '0x5' })
  expect(await call<Json>('eth_getTransactionReceipt', hash)).toMatchObject({ from: whale, status: '0x1' })
})

test(
  'what it sent is traced, executed again, reverted and made again as that of others is',
  slow,
  async () => {
    await call('anvil_setBalance', whale, ether)
    await call('anvil_impersonateAccount', whale)
    await call('anvil_setCode', box, boxCode)
    // A reorganization goes back to what a block was when it was made.
    await call('evm_mine')
    const send = (nonce: string) =>
      call<string>('eth_sendTransaction', {
        from: whale,
        to: box,
        data: storeData(6n),
        gas: '0x186a0',
        nonce,
      })
    const id = await call('evm_snapshot')
    await send('0x0')
    expect(await call('evm_revert', id)).toBe(true)
    await send('0x0')
    await call('anvil_reorg', 1, [[{ from: whale, to: box, data: storeData(7n), gas: '0x186a0' }, 0]])
    const hash = await send('0x1')
    await call('evm_setAutomine', false)
    const waiting = await send('0x2')
    const look = async () => {
      const receipt = await call<Json>('eth_getTransactionReceipt', hash)
      expect(receipt).toMatchObject({ from: whale, status: '0x1' })
      const at = receipt.blockNumber as string
      const block = await call<{ transactions: Json[]; hash: string }>('eth_getBlockByNumber', at, true)
      expect(block.transactions).toMatchObject([{ from: whale, hash }])
      const raw = await call<string>('eth_getRawTransactionByHash', hash)
      expect(await call('debug_getRawTransaction', hash)).toBe(raw)
      expect(keccak256(raw as `0x${string}`)).toBe(hash)
      const rawBlock = await call<string>('debug_getRawBlock', at)
      expect(rawBlock).toContain(raw.slice(2))
      const frames = { tracer: 'callTracer' }
      const frame = await call<Json>('debug_traceTransaction', hash, frames)
      expect(frame).toMatchObject({ from: whale, to: box })
      expect(await call('debug_traceBlockByNumber', at, frames)).toMatchObject([
        { txHash: hash, result: frame },
      ])
      expect(await call('debug_traceBlock', rawBlock, frames)).toMatchObject([
        { txHash: hash, result: frame },
      ])
      expect(await call('trace_transaction', hash)).toMatchObject([{ action: { from: whale } }])
      expect(await call('trace_replayTransaction', hash, ['trace', 'stateDiff'])).toMatchObject({
        stateDiff: { [whale]: {} },
      })
      expect(await call('trace_replayBlockTransactions', at, ['trace'])).toHaveLength(1)
      expect(await call('trace_filter', { fromAddress: [whale], toBlock: at })).toHaveLength(2)
      expect(await call('ots_getTransactionBySenderAndNonce', whale, '0x1')).toBe(hash)
      expect(await call('eth_getTransactionByHash', waiting)).toMatchObject({ from: whale, nonce: '0x2' })
      return block.hash
    }
    const before = await look()
    await restart()
    expect(await look()).toBe(before)
    // The restarted chain makes a block for what waited.
    await eventually(async () => (await call('eth_blockNumber')) === '0x4')
    expect(await call('eth_getTransactionReceipt', waiting)).toMatchObject({ from: whale, status: '0x1' })
  },
)

test('impersonated accounts are among those of the node', async () => {
  const accounts = await call<string[]>('eth_accounts')
  await call('anvil_impersonateAccount', whale)
  await call('anvil_impersonateAccount', alice)
  expect(await call('eth_accounts')).toEqual([...accounts, whale])
  await call('anvil_stopImpersonatingAccount', whale)
  expect(await call('eth_accounts')).toEqual(accounts)
})
