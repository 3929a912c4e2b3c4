import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { boxCode, storeData } from '../support/boxContract.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { slow, testSome } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

/** What dev methods did, after the end of the process: an orderly one, and a kill. */

type Json = Record<string, unknown>

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const nobody = `0x${'77'.repeat(20)}`
const box = `0x${'b0'.repeat(20)}`
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

let home: string
let program: Program
let url: string

const start = async (): Promise<void> => {
  program = runProgram(['start', ...isolatedFlags(home)])
  url = (await program.ready()).http ?? ''
}
const end = async (signal: NodeJS.Signals): Promise<void> => {
  program.child.kill(signal)
  await program.ended()
}
const call = async <T = string>(method: string, ...params: unknown[]): Promise<T> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error !== undefined) throw new Error(error.message)
  return result as T // as the test expects
}
const finish = async (...args: readonly string[]) => {
  const command = runProgram(args)
  const code = await command.ended()
  return { code, output: command.stdout() + command.stderr() }
}

beforeEach(async () => {
  home = temporaryHome()
  await start()
})
afterEach(async () => {
  await end('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

testSome(1, ['SIGKILL', 'SIGTERM'])('changes, blocks and snapshots survive %s', async (signal) => {
  await call('anvil_setCode', box, boxCode)
  await call('anvil_setStorageAt', box, '0x0', word(5n))
  const sent = await call('eth_sendTransaction', { from: alice, to: box, data: storeData(6n) })
  const id = await call('evm_snapshot')
  await call('anvil_setBalance', nobody, 77)
  await call('evm_increaseTime', 100_000)
  await end(signal)
  await start()
  // The head with its change, and the block before it.
  expect(await call('eth_getBalance', nobody)).toBe('0x4d')
  expect(await call('eth_getStorageAt', box, '0x0', 'latest')).toBe(word(6n))
  expect(await call('eth_getCode', box, '0x0')).toBe('0x')
  expect(await call<Json>('perihelion_status')).toMatchObject({ modified: true, height: '0x1' })
  const tracer = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
  expect(await call<Json>('debug_traceTransaction', sent, tracer)).toMatchObject({
    pre: { [box]: { storage: { [word(0n)]: word(5n) } } },
  })
  const { timestamp } = await call<Json>('eth_getBlockByNumber', 'latest', false)
  await call('evm_mine')
  const next = await call<Json>('eth_getBlockByNumber', 'latest', false)
  expect(Number(next.timestamp)).toBeGreaterThanOrEqual(Number(timestamp) + 100_000)
  expect(await call('evm_revert', id)).toBe(true)
  expect(await call('eth_getBalance', nobody)).toBe('0x0')
})

testSome(0, ['SIGTERM', 'SIGKILL'])('what was reverted or dropped is gone after %s', async (signal) => {
  const send = (nonce: number) =>
    call('eth_sendTransaction', {
      from: alice,
      to: nobody,
      value: '0x1',
      gas: '0x5208',
      nonce: `0x${nonce}`,
    })
  const id = await call('evm_snapshot')
  await send(0)
  expect(await call('evm_revert', id)).toBe(true)
  await send(0)
  await call('anvil_rollback', 1)
  await send(0)
  await call('anvil_reorg', 1, [])
  await call('evm_setAutomine', false)
  const [dropped, kept] = [await send(0), await send(1)]
  await call('hardhat_dropTransaction', dropped)
  await end(signal)
  await start()
  expect(await call('eth_getTransactionCount', alice, 'latest')).toBe('0x0')
  expect(await call<Json>('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
  expect(await call('eth_getTransactionByHash', kept)).toMatchObject({ nonce: '0x1' })
  await call('anvil_removePoolTransactions', alice)
  await end(signal)
  await start()
  expect(await call<Json>('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
})

test('a changed chain is checked, and not exported', slow, async () => {
  await call('anvil_setCode', box, boxCode)
  await call('anvil_setStorageAt', box, '0x0', word(5n))
  await call('eth_sendTransaction', { from: alice, to: box, data: storeData(6n) })
  await call('anvil_setBalance', nobody, 1)
  await call('anvil_setNextBlockBaseFeePerGas', 7)
  await call('anvil_mine', 200)
  await call('anvil_impersonateAccount', nobody)
  await call('anvil_setBalance', nobody, '0xde0b6b3a7640000')
  await call('eth_sendTransaction', { from: nobody, to: alice })
  await call('anvil_setBalance', nobody, 2)
  for (let taken = 0; taken < 3; taken++) await call('evm_snapshot')
  expect(await call('evm_revert', '0x1')).toBe(true)
  await end('SIGTERM')
  const check = await finish('db', 'check', '--home', home)
  expect(check).toMatchObject({ code: 0 })
  const refused = await finish('export', '--home', home, '--out', join(home, 'out'))
  expect(refused.code).not.toBe(0)
  expect(refused.output).toMatch(/dev methods changed this chain/)
  // Back to what the rules give.
  const rollback = await finish('rollback', '--home', home, '--to', '0')
  expect(rollback).toMatchObject({ code: 0 })
  expect(await finish('export', '--home', home, '--out', join(home, 'out'))).toMatchObject({ code: 0 })
  await start()
  expect(await call<Json>('perihelion_status')).toMatchObject({ modified: false, height: '0x0' })
  expect(await call('eth_getCode', box)).toBe('0x')
})

test(
  'transactions of blocks that `perihelion rollback` reverted do not come back, and those of the pool do',
  slow,
  async () => {
    const send = (nonce: number) =>
      call('eth_sendTransaction', {
        from: alice,
        to: nobody,
        value: '0x1',
        gas: '0x5208',
        nonce: `0x${nonce}`,
      })
    await send(0)
    await send(1)
    await call('evm_setAutomine', false)
    const kept = await send(2)
    await end('SIGTERM')
    expect(await finish('rollback', '--home', home, '--to', '1')).toMatchObject({ code: 0 })
    await start()
    expect(await call<Json>('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
    expect(await call('eth_getTransactionCount', alice, 'latest')).toBe('0x1')
    expect(await call('eth_getTransactionByHash', kept)).toMatchObject({ nonce: '0x2', blockHash: null })
  },
)
