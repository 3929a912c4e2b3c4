import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/freePort.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { slow } from '../support/slow.ts'
import { ProxyRemote } from './support/proxyRemote.ts'
import { type Call, callOver, codeOf, makeRemoteChain, type RemoteChain } from './support/remoteChain.ts'

/** Resets to remotes that are not there, do not answer or do not have the block, and resets while others ask. */

let real: TestNode
let chain: RemoteChain
let proxy: ProxyRemote
let node: TestNode
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
beforeEach(async () => {
  proxy.repair()
  // Retries would take half a minute.
  node = await startTestNode(
    '--ephemeral',
    '--fork-cache=false',
    `--fork-url=${proxy.url}`,
    `--fork-block=${chain.forkBlock}`,
  )
  call = callOver(node.http)
})
afterEach(() => node?.close())

const forking = (url: string, blockNumber?: number) => ({
  forking: { jsonRpcUrl: url, ...(blockNumber !== undefined && { blockNumber }) },
})
const unknownAddress = (index: number): string => `0x${(0xabc000 + index).toString(16).padStart(40, '0')}`

test('to a remote that cannot be used fails after one question, and changes nothing', async () => {
  await call('evm_mine')
  const before = await call('eth_getBlockByNumber', 'latest', false)
  expect(await codeOf(call('anvil_reset', forking(`http://127.0.0.1:${await freePort()}`)))).toBe(-32002)
  proxy.clear()
  proxy.always = { kind: 'status', status: 503 }
  expect(await codeOf(call('anvil_reset', forking(proxy.url)))).toBe(-32002)
  proxy.always = { kind: 'error', code: -32000, message: 'header not found' }
  expect(await codeOf(call('hardhat_reset', forking(proxy.url, 10_000)))).toBe(-32002)
  expect(await codeOf(call('anvil_setRpcUrl', `${proxy.url}/`))).toBe(-32002)
  proxy.always = undefined
  expect(await codeOf(call('hardhat_reset', forking(proxy.url, 10_000)))).toBe(-32002)
  // A body that is refused as a whole is halved once; with repetitions there would be dozens.
  expect(proxy.bodies.length).toBeLessThan(12)
  expect(await call('eth_getBlockByNumber', 'latest', false)).toEqual(before)
  await call('evm_mine')
  expect(await call('eth_getBalance', unknownAddress(0), 'latest')).toBe('0x0')
})

test('to a remote is refused to a chain that forgets what was deleted, and changes nothing', async () => {
  const pruned = await startTestNode('--ephemeral', '--pruning=everything')
  try {
    await pruned.call('evm_mine')
    const { message } = await pruned.failure('anvil_reset', forking(proxy.url, chain.forkBlock))
    expect(message).toMatch(/--pruning=archive/)
    expect(await pruned.call('eth_blockNumber')).toBe('0x1')
    // Back to its own first block it can go.
    await pruned.call('anvil_reset')
    expect(await pruned.call('eth_blockNumber')).toBe('0x0')
  } finally {
    await pruned.close()
  }
})

test('to a remote that does not answer holds nobody up, and is not done once its caller has gone', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  try {
    await eventually(() => silent.listening)
    const { port } = silent.address() as { port: number } // it listens on a port
    const caller = new AbortController()
    const reset = fetch(node.http, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'anvil_reset',
        params: [forking(`http://127.0.0.1:${port}`)],
      }),
      signal: caller.signal,
    })
    reset.catch(() => {})
    await call('evm_mine')
    caller.abort()
    await call('evm_mine')
    expect(await call('eth_blockNumber')).toBe(`0x${(chain.forkBlock + 2).toString(16)}`)
  } finally {
    silent.close()
  }
})

test.each([500, 403, 200])(
  'tells the status %d of what is not a node, and nothing of its body',
  async (status) => {
    const body = 'password: hunter2'
    const other = createHttpServer((_, response) => void response.writeHead(status).end(body))
    other.listen(0, '127.0.0.1')
    try {
      await eventually(() => other.listening)
      const { port } = other.address() as { port: number } // it listens on a port
      const url = `http://127.0.0.1:${port}`
      for (const [method, parameter] of [
        ['anvil_reset', forking(url)],
        ['hardhat_reset', forking(url)],
        ['anvil_setRpcUrl', url],
      ] as const) {
        const error = await node.failure(method, parameter)
        expect(JSON.stringify(error)).not.toContain('hunter2')
        expect(error.message).toMatch(
          status === 200 ? /invalid JSON-RPC response/ : new RegExp(`answers ${status}`),
        )
      }
    } finally {
      other.close()
    }
  },
)

test('while others ask for what is not known yet never goes on for ever', slow, async () => {
  let index = 0
  const asks = (): Promise<unknown>[] =>
    Array.from({ length: 20 }, () => {
      const address = unknownAddress(index++)
      return Promise.allSettled([
        call('eth_getTransactionCount', address, 'pending'),
        call('eth_getBalance', address, 'latest'),
        call('eth_call', { to: address, from: address }, 'latest'),
      ]).then((results) => {
        for (const result of results)
          if (result.status === 'rejected')
            expect([-32000, -32002]).toContain((result.reason as { code?: number }).code)
      })
    })
  for (const target of [
    forking(proxy.url, chain.forkBlock),
    undefined,
    forking(proxy.url, 2),
    forking(proxy.url, 2),
    undefined,
  ]) {
    const waiting = asks()
    const resets = [1, 2].map(() =>
      target === undefined ? call('hardhat_reset') : call('hardhat_reset', target),
    )
    for (let turn = 0; turn < 5; turn++) {
      waiting.push(...asks())
      await call('eth_blockNumber')
    }
    await Promise.all([...waiting, ...resets])
  }
  expect(await call('eth_blockNumber')).toBe('0x0')
})

test('to another fork with a waiting transaction leaves nothing of it', async () => {
  const [from, to] = await call<string[]>('eth_accounts')
  await call('evm_setAutomine', false)
  await call('anvil_impersonateAccount', chain.holder)
  const requests = [from, chain.holder].map((sender) => ({ from: sender, to, value: '0x1', gas: '0x5208' }))
  for (const request of requests) await call('eth_sendTransaction', request)
  await call('hardhat_reset', forking(proxy.url, chain.forkBlock - 1))
  expect(await call('eth_blockNumber')).toBe(`0x${(chain.forkBlock - 1).toString(16)}`)
  expect(await call('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  const sent = await call('eth_sendTransaction', { from, to, value: '0x1' })
  expect(await call('eth_getTransactionReceipt', sent)).toMatchObject({ status: '0x1' })
})

test('does not wait for a block that waits for the remote', async () => {
  await call('anvil_setBalance', unknownAddress(9000), '0xde0b6b3a7640000')
  proxy.clear()
  // Longer than a request may take.
  proxy.delayMs = 600_000
  const [from] = await call<string[]>('eth_accounts')
  const sent = call('eth_sendTransaction', { from, to: unknownAddress(9001), value: '0x1', gas: '0x5208' })
  sent.catch(() => {})
  await eventually(() => proxy.bodies.length > 0)
  await call('hardhat_reset')
  expect(await call('eth_blockNumber')).toBe('0x0')
})
