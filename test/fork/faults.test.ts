import { rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storeData } from '../support/boxContract.ts'
import { startNodeAt, startTestNode, type TestNode } from '../support/node.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { ProxyRemote } from './support/proxyRemote.ts'
import {
  type Call,
  CallError,
  callOver,
  codeOf,
  makeRemoteChain,
  type RemoteChain,
} from './support/remoteChain.ts'

/** Remotes that are slow, limit the rate, fail, lie or answer nonsense. Each fault is beside the same without it. */

const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`
const limited = { kind: 'status', status: 429 } as const

let real: TestNode
let chain: RemoteChain
let proxy: ProxyRemote
let home: string
let node: TestNode | undefined
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
  await node?.close()
  node = undefined
  rmSync(home, { recursive: true, force: true })
})

const fork = async (...flags: readonly string[]): Promise<void> => {
  node = await startNodeAt(
    home,
    `--fork-url=${proxy.url}`,
    `--fork-block=${chain.forkBlock}`,
    '--fork-retry-backoff=20ms',
    ...flags,
  )
  call = callOver(node.http)
  proxy.clear()
}

const readBox = (): Promise<string> => call('eth_call', { to: chain.box }, 'latest')

/** Returns how many times a method was asked for. */
const asked = (method: string): number => proxy.calls.filter((each) => each.method === method).length

describe('reads', () => {
  test('are batched, kept, and not asked for again', async () => {
    await fork()
    expect(await readBox()).toBe(word(6n))
    // Sender and contract in one body, then the slot: with each, whether the block is still the same.
    expect(proxy.bodies.length).toBeLessThanOrEqual(2)
    expect(asked('eth_getStorageAt')).toBe(1)
    proxy.clear()
    expect(await readBox()).toBe(word(6n))
    expect(await call('eth_getStorageAt', chain.box, '0x0', 'latest')).toBe(word(6n))
    expect(proxy.calls).toEqual([])
  })

  test('of many callers at the same time go in few bodies, each value once', async () => {
    await fork()
    const slots = Array.from({ length: 50 }, (_, index) => `0x${(index + 100).toString(16)}`)
    await Promise.all([...slots, ...slots].map((slot) => call('eth_getStorageAt', chain.box, slot, 'latest')))
    expect(asked('eth_getStorageAt')).toBe(50)
    expect(proxy.bodies.length).toBeLessThan(45)
  })

  test('are asked for one by one where the remote takes no batches', async () => {
    proxy.maxBatch = 1
    await fork()
    expect(await readBox()).toBe(word(6n))
    expect(proxy.bodies.every((body) => body.length === 1)).toBe(true)
  })

  test('while the remote is slow hold nobody up', slow, async () => {
    await fork()
    proxy.delayMs = 600
    const slow = readBox()
    const start = performance.now()
    let answered = 0
    // The event loop goes on: what needs no remote is answered many times meanwhile.
    while (asked('eth_getStorageAt') === 0) {
      await call('eth_blockNumber')
      answered++
    }
    expect(answered).toBeGreaterThan(10)
    expect(performance.now() - start).toBeGreaterThan(0)
    expect(await slow).toBe(word(6n))
  })

  test('that take longer than a call may are still answered: waiting does not count', slow, async () => {
    await fork('--json-rpc.evm-timeout=200ms')
    proxy.delayMs = 400
    expect(await readBox()).toBe(word(6n))
  })
})

describe('traces of a range', () => {
  test('are the remote’s up to the fork, and local ones after it', slow, async () => {
    await fork()
    const remoteCall = callOver(real.http)
    const [from] = await call<string[]>('eth_accounts')
    const sent = await call('eth_sendTransaction', { from, to: bob, value: '0x1' })
    const below = await remoteCall<object[]>('trace_filter', {
      fromBlock: '0x0',
      toBlock: `0x${chain.forkBlock.toString(16)}`,
    })
    expect(below.length).toBeGreaterThan(1)
    const all = await call<{ transactionHash: string }[]>('trace_filter', { fromBlock: '0x0' })
    expect(all.slice(0, below.length)).toEqual(below)
    expect(all.slice(below.length)).toMatchObject([{ transactionHash: sent }])
    expect(await call('trace_filter', {})).toEqual(all)
    expect(await call('trace_filter', { fromBlock: '0x1', after: 1, count: 1 })).toEqual(all.slice(1, 2))
    expect(await call('trace_filter', { after: below.length, count: 5 })).toEqual(all.slice(below.length))
    expect(await call('trace_filter', { fromBlock: '0x1', toBlock: '0x1' })).toEqual(
      await remoteCall('trace_filter', { fromBlock: '0x1', toBlock: '0x1' }),
    )
  })

  test('that a remote does not have are refused with what to do', async () => {
    await fork()
    proxy.always = { kind: 'error', code: -32601, message: 'the method trace_filter does not exist' }
    const failing = call('trace_filter', { fromBlock: '0x0' })
    await expect(failing).rejects.toThrow(`ask from block 0x${(chain.forkBlock + 1).toString(16)} on`)
    expect(await codeOf(failing)).toBe(-32004)
    proxy.always = undefined
    proxy.tamper = () => [{ blockNumber: 10_000 }]
    expect(await codeOf(call('trace_filter', { fromBlock: '0x0' }))).toBe(-32002)
  })
})

describe('a remote that limits the rate', () => {
  test('is asked again after the time that it names', slow, async () => {
    await fork()
    proxy.faults.push({ ...limited, headers: { 'retry-after': '1' } })
    expect(await readBox()).toBe(word(6n))
    const [first = 0, second = 0] = proxy.times
    expect(second - first).toBeGreaterThanOrEqual(950)
    // The control: without a limit it is asked at once.
    proxy.clear()
    expect(await call('eth_getStorageAt', chain.box, '0x55', 'latest')).toBe(word(0n))
    expect(proxy.bodies.length).toBe(1)
  })

  test('may say so by an error of JSON-RPC, too', slow, async () => {
    await fork()
    const error = { kind: 'error', code: -32005, message: 'rate limit exceeded' } as const
    proxy.faults.push(error, { ...error, headers: { 'retry-after': '1' } })
    expect(await readBox()).toBe(word(6n))
    const [, second = 0, third = 0] = proxy.times
    expect(third - second).toBeGreaterThanOrEqual(950)
  })

  test('and never stops is given up, with -32002', slow, async () => {
    await fork('--fork-retries=2')
    proxy.always = limited
    expect(await codeOf(readBox())).toBe(-32002)
    expect(proxy.bodies.length).toBe(3)
    proxy.repair()
    expect(await readBox()).toBe(word(6n))
  })

  test('for an hour is given up at once', async () => {
    await fork()
    proxy.always = { ...limited, headers: { 'retry-after': '3600' } }
    expect(await codeOf(readBox())).toBe(-32002)
    expect(proxy.bodies.length).toBe(1)
  })
})

describe('a remote that fails', () => {
  test.each([
    ['500', { kind: 'status', status: 500, text: 'oops' }],
    ['503', { kind: 'status', status: 503 }],
    ['a dropped connection', { kind: 'drop' }],
    ['no JSON', { kind: 'status', status: 200, text: '<html>' }],
  ] as const)('with %s is asked again', async (_, fault) => {
    await fork()
    proxy.faults.push(fault, fault)
    expect(await readBox()).toBe(word(6n))
  })

  test('with 401 is not asked again, and the call says so without -32603', async () => {
    await fork()
    proxy.always = { kind: 'status', status: 401, text: 'who are you?' }
    expect(await codeOf(readBox())).toBe(-32002)
    expect(proxy.bodies.length).toBe(1)
  })

  test(
    'while a block is made: the sender gets the hash, and the block is made when the remote is back',
    slow,
    async () => {
      await fork('--fork-retries=0')
      proxy.always = { kind: 'status', status: 500 }
      const request = { from: bob, to: chain.box, data: storeData(8n), gas: '0x30d40', nonce: '0x0' }
      const filled = { ...request, maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
      const hash = await call<string>('eth_sendTransaction', filled)
      expect(await call('eth_getTransactionByHash', hash)).toMatchObject({ blockNumber: null })
      expect(await call('eth_blockNumber')).toBe(`0x${chain.forkBlock.toString(16)}`)
      proxy.repair()
      await expect.poll(readBox).toBe(word(8n))
      expect(await call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    },
  )

  test('to answer for long: the sender gets the hash before the deadline of its call', slow, async () => {
    await fork('--json-rpc.http-timeout=1s')
    proxy.delayMs = 2_500
    const request = { from: bob, to: chain.box, data: storeData(8n), gas: '0x30d40', nonce: '0x0' }
    const filled = { ...request, maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }
    const hash = await call<string>('eth_sendTransaction', filled)
    expect(await call('eth_getTransactionByHash', hash)).toMatchObject({ blockNumber: null })
    proxy.repair()
    await expect.poll(() => call('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  test('to tell one value: the transaction that needs it is dropped, and others are mined', async () => {
    await fork()
    const accounts = await call<string[]>('eth_accounts')
    const [alice, carol] = accounts.filter((account) => account !== bob)
    proxy.refuse = ({ method, params }) =>
      method === 'eth_getStorageAt' && params[0] === chain.box
        ? { code: -32000, message: 'missing trie node' }
        : undefined
    const store = { from: alice, to: chain.box, data: storeData(8n), gas: '0x30d40' }
    await call('evm_setAutomine', false)
    const refused = await call('eth_sendTransaction', store)
    const transfer = await call('eth_sendTransaction', {
      from: bob,
      to: carol,
      value: '0x1',
      gas: '0x5208',
    })
    await call('evm_mine')
    expect(await call('eth_getTransactionReceipt', transfer)).toMatchObject({ status: '0x1' })
    expect(await call('eth_getTransactionByHash', refused)).toBeNull()
    await call('evm_setAutomine', true)
    expect(await codeOf(call('eth_sendTransaction', store))).toBe(-32002)
    const next = await call('eth_sendTransaction', { from: alice, to: carol, value: '0x1' })
    expect(await call('eth_getTransactionReceipt', next)).toMatchObject({ status: '0x1' })
  })

  test('at the start: one line that names the remote', async () => {
    proxy.always = { kind: 'status', status: 500 }
    await expect(fork('--fork-retries=0')).rejects.toThrow(/^the remote http:\/\/127.*answers 500/)
  })
})

describe('a remote that does not tell the truth', () => {
  const otherHash = `0x${'cc'.repeat(32)}`

  test('about the hash of the fork block: nothing is taken from it', async () => {
    await fork()
    expect(await readBox()).toBe(word(6n))
    proxy.tamper = ({ method, params }, result) =>
      method === 'eth_getBlockByNumber' && params[0] === `0x${chain.forkBlock.toString(16)}`
        ? { ...(result as object), hash: otherHash }
        : result
    // What was read before is of the right block, and stays.
    expect(await readBox()).toBe(word(6n))
    expect(await codeOf(call('eth_getStorageAt', chain.box, '0x1', 'latest'))).toBe(-32002)
    expect(await codeOf(call('eth_getBlockByNumber', 'latest', false))).toBe(-32002)
    proxy.repair()
    expect(await call('eth_getStorageAt', chain.box, '0x1', 'latest')).toBe(word(0n))
  })

  test('at the start, where by hash it has another block than by number', async () => {
    proxy.tamper = ({ method }, result) =>
      method === 'eth_getBlockByNumber' ? { ...(result as object), hash: otherHash } : result
    await expect(fork('--fork-retries=0')).rejects.toThrow(/the remote .* has no block 0xcc/)
  })

  test.each([
    ['eth_getBalance', 'abc'],
    ['eth_getBalance', `0x1${'00'.repeat(32)}`],
    ['eth_getTransactionCount', `0x1${'00'.repeat(8)}`],
    ['eth_getCode', '0x123'],
    ['eth_getCode', null],
  ])('%s answered with %s is -32002, and nothing of it is kept', async (method, value) => {
    await fork()
    proxy.tamper = (each, result) => (each.method === method ? value : result)
    expect(await codeOf(call('eth_getBalance', chain.holder, 'latest'))).toBe(-32002)
    proxy.repair()
    expect(BigInt(await call('eth_getBalance', chain.holder, 'latest'))).toBe(10n ** 18n)
  })

  test('about blocks, transactions and logs below the fork', async () => {
    await fork()
    const [stored] = chain.stored
    const tampered = async (change: object, method: string, ...params: unknown[]): Promise<number> => {
      proxy.tamper = (each, result) =>
        each.method !== method
          ? result
          : Array.isArray(result)
            ? result.map((item: object) => ({ ...item, ...change }))
            : { ...(result as object), ...change }
      return codeOf(call(method, ...params))
    }
    expect(await tampered({ number: '0x2' }, 'eth_getBlockByNumber', '0x1', false)).toBe(-32002)
    expect(await tampered({ hash: 5 }, 'eth_getBlockByNumber', '0x1', false)).toBe(-32002)
    expect(await tampered({ transactionHash: otherHash }, 'eth_getTransactionReceipt', stored)).toBe(-32002)
    const range = { fromBlock: '0x0', toBlock: '0x2', address: chain.box }
    expect(await tampered({ blockNumber: '0x9' }, 'eth_getLogs', range)).toBe(-32002)
    proxy.repair()
    expect(await call('eth_getBlockByNumber', '0x1', false)).toMatchObject({ number: '0x1' })
    expect(await call('eth_getTransactionReceipt', stored)).toMatchObject({ transactionHash: stored })
    expect(await call<unknown[]>('eth_getLogs', range)).toHaveLength(1)
  })

  test('errors of the remote about a request are answered as they are, its own troubles are -32002', async () => {
    await fork()
    const below = '0x2'
    // The contract reverts with what follows the first byte.
    const failing = call('eth_call', { to: chain.box, data: '0x01aabb' }, below)
    await expect(failing).rejects.toMatchObject({ code: 3, data: '0xaabb' })
    proxy.always = { kind: 'error', code: -32603, message: 'something broke' }
    expect(await codeOf(call('eth_call', { to: chain.box }, below))).toBe(-32002)
  })
})

describe('keys', () => {
  const key = 'sEcReTkEy0123456789'

  test('in headers and in the URL reach the remote and are shown nowhere', async () => {
    const url = proxy.url.replace('http://', `http://user:${key}@`)
    node = await startNodeAt(
      home,
      `--fork-url=${url}/v2/${key}?apikey=${key}`,
      `--fork-block=${chain.forkBlock}`,
      `--fork-header=X-Key: ${key}`,
      `--fork-header=Authorization: Bearer ${key}`,
      '--fork-retries=0',
    )
    call = callOver(node.http)
    expect(await readBox()).toBe(word(6n))
    expect(proxy.headers).toMatchObject({ 'x-key': key, authorization: `Bearer ${key}` })
    expect(JSON.stringify(await call('anvil_nodeInfo'))).not.toContain(key)
    expect(JSON.stringify(await call('anvil_metadata'))).not.toContain(key)
    // A remote that repeats the key in what it answers.
    proxy.always = { kind: 'status', status: 403, text: `the key ${key} is not known` }
    const error = await call('eth_getStorageAt', chain.box, '0x77', 'latest').catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(CallError)
    // The body of a status is nobody's to read, and an error of JSON-RPC is shown without the key.
    expect((error as CallError).message).toMatch(/answers 403$/)
    expect((error as CallError).message).not.toContain(key)
    proxy.always = { kind: 'error', code: -32000, message: `the key ${key} is not known` }
    const passed = await call('eth_call', { to: chain.box }, '0x1').catch((thrown: unknown) => thrown)
    expect((passed as CallError).message).toContain('is not known')
    expect((passed as CallError).message).not.toContain(key)
    const metrics = await (await fetch(`${node.http}/metrics`)).text()
    expect(metrics).not.toContain(key)
  })
})
