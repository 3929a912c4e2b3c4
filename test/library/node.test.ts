import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BrowserProvider } from 'ethers'
import {
  createNode,
  type EmbeddedNode,
  type ListeningNode,
  method,
  type ProviderMessage,
  Quantity,
} from 'perihelion'
import { createPublicClient, createWalletClient, custom, http, parseEther } from 'viem'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { slow } from '../support/slow.ts'

const recipient = '0x00000000000000000000000000000000000000aa'
// A folder of this file alone: other tests make and remove theirs meanwhile.
const ownTemporary = mkdtempSync(join(tmpdir(), 'library-'))
vi.stubEnv('TMPDIR', ownTemporary)
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(ownTemporary, { recursive: true, force: true })
})
const homes = (): readonly string[] => readdirSync(ownTemporary)

const opened: EmbeddedNode[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((node) => node.close()))
})
const opening = async <Node extends EmbeddedNode>(node: Promise<Node>): Promise<Node> => {
  const ready = await node
  opened.push(ready)
  return ready
}

const double = method({
  name: 'example_double',
  summary: 'Doubles a number.',
  access: 'public',
  params: [],
  result: { name: 'twice the height', type: Quantity },
  examples: [],
  handler: (_, { chain }) => BigInt(chain.head().number) * 2n,
})

describe('a node in process', () => {
  test('serves viem and ethers without a socket', async () => {
    const node = await opening(createNode({ listen: false }))
    expect(node).toMatchObject({ url: '', wsUrl: '' })
    const wallet = createWalletClient({ transport: custom(node.provider) })
    const client = createPublicClient({ transport: custom(node.provider) })
    const [account] = await wallet.getAddresses()
    if (account === undefined) throw new Error('there is no account')
    await wallet.sendTransaction({ account, to: recipient, value: parseEther('2'), chain: null })
    expect(await client.getBalance({ address: recipient })).toBe(parseEther('2'))
    const ethers = new BrowserProvider(node.provider)
    expect(await ethers.getBalance(recipient)).toBe(parseEther('2'))
    expect(node.chain.head().number).toBe(1)
    ethers.destroy()
  })

  test('tells of subscriptions by messages, until it is closed', async () => {
    const node = await createNode({ listen: false })
    const messages: ProviderMessage[] = []
    const ends: unknown[] = []
    node.provider.on('message', (message) => void messages.push(message))
    node.provider.on('disconnect', (error) => void ends.push(error))
    const id = await node.provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
    const [from = '0x'] = await node.provider.request({ method: 'eth_accounts' })
    await node.provider.request({ method: 'eth_sendTransaction', params: [{ from, to: recipient }] })
    await eventually(() => messages.length === 1)
    expect(messages[0]).toMatchObject({
      type: 'eth_subscription',
      data: { subscription: id, result: { number: '0x1' } },
    })
    await node.close()
    await eventually(() => ends.length === 1)
    expect(ends).toMatchObject([{ code: 4900 }])
    await expect(node.provider.request({ method: 'eth_blockNumber' })).rejects.toMatchObject({ code: 4900 })
  })

  test('is closed whatever its listeners do, and its requests that run are told so', async () => {
    const node = await createNode()
    const heard = new Promise((resolve) => process.once('uncaughtException', resolve))
    const before = process.listeners('uncaughtException')
    node.provider.on('disconnect', () => {
      throw new Error('of the listener')
    })
    // PUSH0, JUMP to a JUMPDEST at 0: runs until its time is up.
    const running = node.provider.request({ method: 'eth_call', params: [{ data: '0x5b5f56' }] })
    const rejected = expect(running).rejects.toMatchObject({ code: 4900 })
    await node.close()
    await rejected
    expect(await heard).toMatchObject({ message: 'of the listener' })
    expect(process.listeners('uncaughtException').length).toBe(before.length - 1)
    await expect(fetch(`${node.url}/health`)).rejects.toThrow()
  })

  test('gives errors their code and data, and private methods to its holder', async () => {
    const { provider } = await opening(createNode({ listen: false }))
    await expect(provider.request({ method: 'eth_nothing' })).rejects.toMatchObject({ code: -32601 })
    await expect(provider.request({ method: 'eth_getBalance', params: ['0x1'] })).rejects.toMatchObject({
      code: -32602,
    })
    // PUSH1 1, PUSH1 0, REVERT.
    const call = { data: '0x60016000fd' } as const
    await expect(provider.request({ method: 'eth_call', params: [call] })).rejects.toMatchObject({
      code: 3,
      data: '0x00',
    })
    expect(await provider.request({ method: 'admin_datadir' })).toEqual(expect.any(String))
  })

  test('takes a method of its embedder', async () => {
    const node = await opening(createNode({ methods: [double] }))
    expect(await node.provider.request({ method: 'example_double' })).toBe('0x0')
    const client = createPublicClient({ transport: http(node.url) })
    expect(await client.request({ method: 'example_double' as 'eth_blockNumber' })).toBe('0x0')
  })

  test('listens on free ports, several at a time, each with a chain of its own', async () => {
    const nodes: readonly ListeningNode[] = await Promise.all([
      opening(createNode({ settings: { chainId: 1n } })),
      opening(createNode({ settings: { chainId: 2n } })),
    ])
    const ids = nodes.map(({ url }) => createPublicClient({ transport: http(url) }).getChainId())
    expect(await Promise.all(ids)).toEqual([1, 2])
    expect(new Set(nodes.flatMap(({ url, wsUrl }) => [url, wsUrl])).size).toBe(4)
  })

  test('is gone without a trace when it is closed, however often', async () => {
    const before = homes()
    const node = await createNode({ listen: false })
    expect(homes().length).toBe(before.length + 1)
    await node.close()
    await node.close()
    expect(homes()).toEqual(before)
  })

  test('keeps its chain in a home that is named, for one node at a time', slow, async () => {
    const home = mkdtempSync(join(tmpdir(), 'library-'))
    try {
      const first = await opening(createNode({ home, listen: false }))
      await expect(createNode({ home, listen: false })).rejects.toThrow('is in use by process')
      const [from = '0x'] = await first.provider.request({ method: 'eth_accounts' })
      await first.provider.request({ method: 'eth_sendTransaction', params: [{ from, to: recipient }] })
      await first.close()
      // On a free port again, whatever addresses the home's app.toml has.
      const second = await opening(createNode({ home, settings: { jsonRpc: { address: undefined } } }))
      expect(second.url).not.toContain(':8545')
      expect(second.wsUrl).toMatch(/^ws:\/\/127\.0\.0\.1:/)
      expect(second.chain.head().number).toBe(1)
      await second.close()
      // What the home holds is not quietly something else.
      await expect(createNode({ home, listen: false, settings: { chainId: 5n } })).rejects.toThrow(
        'chain-id: got 5 (option), but the chain of this home has 31337',
      )
      expect(existsSync(join(home, 'perihelion.lock'))).toBe(false)
    } finally {
      await Promise.all(opened.splice(0).map((node) => node.close()))
      rmSync(home, { recursive: true, force: true })
    }
  })

  test('refuses settings as the command line does, and leaves nothing behind', async () => {
    const before = homes()
    await expect(createNode({ settings: { accounts: -1 } })).rejects.toThrow('accounts: got -1, wanted')
    await expect(createNode({ settings: { jsonRpc: { gasCap: 'x' as never } } })).rejects.toThrow(
      'jsonRpc.gasCap: got "x", wanted',
    )
    await expect(createNode({ settings: { jsonRpc: { gasCapp: 1n } as never } })).rejects.toThrow(
      'jsonRpc.gasCapp: there is no such setting',
    )
    const address = { host: '127.0.0.1', port: 0 }
    await expect(createNode({ settings: { jsonRpcAddress: address } as never })).rejects.toThrow(
      'jsonRpcAddress: there is no such setting: write jsonRpc: { address }',
    )
    await expect(createNode({ settings: { home: '/nowhere' } as never })).rejects.toThrow('settings.home')
    const secret = await createNode({ settings: { mnemonic: 'no such words' } }).catch(String)
    expect(secret).toContain('mnemonic: got (not shown)')
    await expect(createNode({ methods: [double, double] })).rejects.toThrow(
      'example_double is in the table twice',
    )
    expect(homes()).toEqual(before)
  })

  test('takes null for no home at all', async () => {
    const node = await opening(createNode({ home: null as never, listen: false }))
    expect(String(await node.provider.request({ method: 'admin_datadir' }))).toContain('perihelion-')
  })

  test('writes its log where it is told to', async () => {
    const lines: string[] = []
    await opening(createNode({ log: { level: 'info', write: (line) => void lines.push(line) } }))
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toContain('listening')
  })
})
