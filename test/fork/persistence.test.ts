import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { storeData } from '../support/boxContract.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { slow, testSome } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { ProxyRemote } from './support/proxyRemote.ts'
import { type Call, callOver, makeRemoteChain, type RemoteChain } from './support/remoteChain.ts'

/** A forked chain after the end of its process: it goes on, without asking again for what it has read. */

const dev = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`

let real: TestNode
let chain: RemoteChain
let proxy: ProxyRemote
let home: string
let program: Program
let call: Call

beforeAll(async () => {
  real = await startTestNode('--ephemeral', '--chain-id=4242')
  chain = await makeRemoteChain(callOver(real.http))
  proxy = await ProxyRemote.start(real.http)
})
afterAll(async () => {
  await proxy?.close()
  await real?.close()
})
beforeEach(() => {
  home = temporaryHome()
  proxy.repair()
})
afterEach(async () => {
  program.child.kill('SIGKILL')
  await program.ended()
  rmSync(home, { recursive: true, force: true })
})

const start = async (...flags: readonly string[]): Promise<void> => {
  program = runProgram(['start', ...isolatedFlags(home), ...flags], { HOME: home })
  call = callOver((await program.ready()).http ?? '')
}
const end = async (signal: NodeJS.Signals): Promise<void> => {
  program.child.kill(signal)
  await program.ended()
}
const finish = async (...args: readonly string[]) => {
  const command = runProgram(args, { HOME: home })
  return { code: await command.ended(), output: command.stdout() + command.stderr() }
}
const forked = (): readonly string[] => [`--fork-url=${proxy.url}`, `--fork-block=${chain.forkBlock}`]

testSome(1, ['SIGKILL', 'SIGTERM'])(
  'it goes on after %s, without a flag and without the remote',
  async (signal) => {
    await start(...forked())
    await call('eth_sendTransaction', { from: dev, to: chain.box, data: storeData(9n) })
    expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(9n))
    await call('anvil_setBalance', chain.holder, '0x5')
    const balance = await call('eth_getBalance', dev, 'latest')
    await end(signal)

    proxy.clear()
    await start()
    expect(await call('eth_blockNumber')).toBe(`0x${(chain.forkBlock + 1).toString(16)}`)
    expect(await call('eth_chainId')).toBe('0x1092')
    expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(9n))
    expect(await call('eth_getBalance', chain.holder, 'latest')).toBe('0x5')
    expect(await call('eth_getBalance', dev, 'latest')).toBe(balance)
    expect(proxy.calls).toEqual([])
    // What is not known yet is asked for as before.
    expect(await call('eth_getStorageAt', chain.box, '0x44', 'latest')).toBe(word(0n))
    expect(proxy.calls.length).toBeGreaterThan(0)
    await call('eth_sendTransaction', { from: dev, to: chain.box, data: storeData(10n) })
    expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(10n))
    await end('SIGTERM')

    expect(await finish('db', 'check', '--home', home)).toMatchObject({ code: 0 })
    const exported = await finish('export', '--home', home, '--out', join(home, 'out'))
    expect(exported.code).not.toBe(0)
    expect(exported.output).toContain('forked')
  },
)

test('flags that contradict the home are refused in one line', slow, async () => {
  await start(...forked())
  await end('SIGTERM')
  const refused = async (...flags: readonly string[]): Promise<string> => {
    const { code, output } = await finish('start', ...isolatedFlags(home), ...flags)
    expect(code).not.toBe(0)
    return output.trim()
  }
  expect(await refused(`--fork-url=${proxy.url}`, '--fork-block=1')).toMatch(/fork-block: .*forked at block/)
  expect(await refused('--pruning=default')).toMatch(/pruning: /)
  const other = await startTestNode('--ephemeral', '--chain-id=99')
  try {
    expect(await refused(`--fork-url=${other.http}`)).toMatch(/is not of chain 4242/)
  } finally {
    await other.close()
  }
  // The same chain behind another address is not a contradiction.
  await start(`--fork-url=${real.http}`)
  expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(6n))
  await end('SIGTERM')
})

test('a home with a chain of its own cannot be forked afterwards', slow, async () => {
  await start()
  await end('SIGTERM')
  const { code, output } = await finish('start', ...isolatedFlags(home), ...forked())
  expect(code).not.toBe(0)
  expect(output).toMatch(/fork-url: the home has a chain that is not forked/)
})

test('an ephemeral fork uses what an earlier one of the same block has read', slow, async () => {
  await start('--ephemeral', ...forked())
  expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(6n))
  await end('SIGTERM')
  expect(readdirSync(join(home, '.perihelion', 'forks')).length).toBeGreaterThan(0)

  await start('--ephemeral', ...forked())
  proxy.clear()
  expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(6n))
  expect(proxy.calls).toEqual([])
  await end('SIGTERM')

  // The control: without the cache everything is asked for again.
  await start('--ephemeral', '--fork-cache=false', ...forked())
  proxy.clear()
  expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(6n))
  expect(proxy.calls.length).toBeGreaterThan(0)
  await end('SIGTERM')
})

test('perihelion anvil forks with the flags of anvil, and shows no key', slow, async () => {
  const key = 'sEcReTkEy0123456789'
  program = runProgram(
    [
      ...['anvil', '--port', '0', '--fork-url', `${proxy.url}/${key}`, '--fork-header', `X-Key: ${key}`],
      ...['--fork-block-number', String(chain.forkBlock), '--no-storage-caching', '--gas-limit', '12345678'],
    ],
    { HOME: home },
  )
  await expect.poll(() => program.stdout()).toMatch(/Listening on \S+\n/)
  const [, address] = /Listening on (\S+)/.exec(program.stdout()) ?? []
  call = callOver(`http://${address}`)
  expect(await call('eth_chainId')).toBe('0x1092')
  expect(await call('eth_call', { to: chain.box }, 'latest')).toBe(word(6n))
  await call('evm_mine')
  expect(await call('eth_getBlockByNumber', 'latest', false)).toMatchObject({
    number: `0x${(chain.forkBlock + 1).toString(16)}`,
    gasLimit: '0xbc614e',
  })
  expect(proxy.headers).toMatchObject({ 'x-key': key })
  expect(program.stdout() + program.stderr()).not.toContain(key)
  await end('SIGTERM')
})

test.each([
  ['a call', () => call('eth_call', { to: chain.box }, 'latest')],
  ['a read', () => call('eth_getBalance', `0x${'5e'.repeat(20)}`, 'latest')],
])('a node whose remote hangs stops within seconds, while %s waits', async (_, ask) => {
  await start(...forked())
  proxy.delayMs = 60_000
  const waiting = ask().catch(() => undefined)
  await expect.poll(() => proxy.calls.length).toBeGreaterThan(0)
  await end('SIGTERM')
  expect(await program.ended()).toBe(0)
  await waiting
})
