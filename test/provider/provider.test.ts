import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BrowserProvider } from 'ethers'
import { createPublicClient, createWalletClient, custom, encodeFunctionData, webSocket } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toQuantity } from '../../src/base/encoding/hex.ts'
import { createLightProvider } from '../../src/provider/index.ts'
import { browserNote, hasChromium, startBrowser } from '../explorer/browser.ts'
import { describeNetwork } from '../network/describeNetwork.ts'
import { eventually } from '../support/eventually.ts'
import { runProgram } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { slow } from '../support/slow.ts'
import { compileTraffic } from '../support/traffic/contract.ts'
import { askNode, askProvider, openProvider } from './answers.ts'
import { startExamplePage } from './examplePage.ts'
import { startLiar } from './liar.ts'
import { type LightNetwork, startLightNetwork } from './network.ts'
import { createQuestions, type Question } from './questions.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** `npm run long -- provider` asks more. */
const questionCount = Number(process.env.PROVIDER_QUESTIONS ?? 120)
const seed = Number(process.env.SEED ?? 7)

describeNetwork('a light provider in front of four validators', slow, () => {
  let chain: LightNetwork

  beforeAll(async () => {
    chain = await startLightNetwork(16)
  })
  afterAll(() => chain?.network.stop())

  const honestUrl = (): string => chain.urls[0] ?? ''

  test('answers as the node does', { timeout: 60_000 + questionCount * 500 }, async () => {
    const provider = openProvider(chain, [honestUrl()])
    const next = createQuestions(chain, createRandom(seed))
    const differences: unknown[] = []
    const told = new Set<string>()
    for (let asked = 0; asked < questionCount; asked++) {
      const question = next()
      const expected = await askNode(honestUrl(), question)
      const actual = await askProvider(provider, question)
      if ('result' in expected) told.add(question[0])
      if (JSON.stringify(actual) !== JSON.stringify(expected))
        differences.push({ question, expected, actual })
    }
    expect(differences).toEqual([])
    expect(told.size).toBeGreaterThan(15)
  })

  const balance = (): Question => ['eth_getBalance', chain.accounts[0] ?? '', `0x${chain.head.toString(16)}`]

  test('refuses a trusted hash that the chain does not have', async () => {
    const trust = { height: chain.trust.height, hash: `0x${'12'.repeat(32)}` }
    const answer = await askProvider(openProvider({ trust }, [honestUrl()]), balance())
    expect(answer).toMatchObject({ error: { message: expect.stringContaining(honestUrl()) } })
  })

  test('serves viem and ethers unmodified', async () => {
    const provider = openProvider(chain, [honestUrl()])
    const [address] = chain.accounts as readonly [`0x${string}`]
    const blockNumber = BigInt(chain.head)
    const truth = BigInt((await chain.rpc('eth_getBalance', address, toQuantity(blockNumber))) as string)
    const viem = createPublicClient({ transport: custom(provider) })
    expect(await viem.getBalance({ address, blockNumber })).toBe(truth)
    expect(await viem.getChainId()).toBe(31_337)
    const ethers = new BrowserProvider(provider)
    expect(await ethers.getBalance(address, chain.head)).toBe(truth)
    expect((await ethers.getNetwork()).chainId).toBe(31_337n)
    expect((await ethers.getBlock(chain.head))?.hash).toBe((await viem.getBlock({ blockNumber })).hash)
    await expect(viem.call({ to: chain.contract as `0x${string}`, data: '0x12345678' })).rejects.toThrow(
      'reverted',
    )
  })

  test('runs the example for Node.js as the package has it', () => {
    const { height, hash } = chain.trust
    const script = join(root, 'examples/light/balance.mjs')
    const said = execFileSync(process.execPath, [
      script,
      honestUrl(),
      `${height}:${hash}`,
      chain.accounts[0] ?? '',
    ])
    expect(said.toString()).toMatch(/^0\.\d+ at block \d+, signed by 4 validators\n$/)
  })

  test.skipIf(!hasChromium)(`runs the example page in Chromium${browserNote}`, async () => {
    const site = await startExamplePage(honestUrl())
    const browser = await startBrowser()
    try {
      const page = await browser.newPage()
      const { height, hash } = chain.trust
      await page.goto(
        `${site.url}/page.html?rpc=${site.url}/rpc&trust=${height}:${hash}&address=${chain.accounts[0]}`,
      )
      await page.waitForFunction(
        `document.getElementById('signed').textContent !== '' || !document.getElementById('balance').textContent.startsWith('proving')`,
      )
      expect(await page.textContent('#balance')).toMatch(/^\d+ wei$/)
      expect(await page.textContent('#signed')).toMatch(/^block \d+, signed by 4 validators$/)
    } finally {
      await browser.close()
      await site.close()
    }
  })

  test('runs as a local node with the same answers', async () => {
    const { height, hash } = chain.trust
    const file = join(chain.network.folder, 'light.json')
    const flags = ['--listen', '127.0.0.1:0', '--store', file]
    const asked = ['--rpc', 'http://127.0.0.1:1', honestUrl()]
    const first = runProgram(['light', ...asked, '--trust', `${height}:${hash}`, ...flags])
    try {
      const { http = '', ws = '', validators } = await first.ready()
      expect(validators).toBe('4')
      const next = createQuestions(chain, createRandom(3))
      for (let round = 0; round < 20; round++) {
        const question = next()
        expect(await askNode(http, question)).toEqual(await askNode(honestUrl(), question))
      }
      expect(await askNode(http, ['txpool_status'])).toMatchObject({ error: { code: -32004 } })
      const id = await askNode(http, ['eth_newBlockFilter'])
      if (!('result' in id)) throw new Error(id.error.message)
      await eventually(async () => {
        const changes = await askNode(http, ['eth_getFilterChanges', id.result])
        return 'result' in changes && (changes.result as readonly string[]).length > 0
      })
      const viem = createPublicClient({ transport: webSocket(ws, { reconnect: false, keepAlive: false }) })
      const block = await new Promise<bigint>((resolve, reject) => {
        viem.watchBlocks({ onBlock: ({ number }) => resolve(number), onError: reject })
      })
      expect(block).toBeGreaterThan(BigInt(chain.head))
    } finally {
      first.child.kill('SIGTERM')
      expect(await first.ended()).toBe(0)
    }
    // The store has what was proven, and no hash is needed any more.
    const second = runProgram(['light', ...asked, ...flags])
    try {
      expect(Number((await second.ready()).block)).toBeGreaterThan(chain.head)
    } finally {
      second.child.kill('SIGTERM')
      await second.ended()
    }
  })

  test('a local node without a trusted block says how to get one', async () => {
    const program = runProgram(['light', '--rpc', honestUrl(), '--listen', '127.0.0.1:0'])
    expect(await program.ended()).toBe(78)
    expect(program.stderr()).toContain('perihelion_lightBlock ["latest"]')
  })

  test('tells subscribers of proven blocks in their order', async () => {
    const { trust } = chain
    const provider = createLightProvider({ urls: [honestUrl()], trust, refreshMs: 200 })
    const numbers: number[] = []
    const three = new Promise<void>((resolve, reject) => {
      provider.on('error', reject)
      provider.on('message', ({ data: { result } }) => {
        numbers.push(Number((result as { number: string }).number))
        if (numbers.length === 3) resolve()
      })
    })
    const id = await provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
    await three
    const [first = 0] = numbers
    expect(numbers.slice(0, 3)).toEqual([first, first + 1, first + 2])
    expect(await provider.request({ method: 'eth_unsubscribe', params: [id] })).toBe(true)
    await provider.close()
  })

  test('filters and subscriptions give the logs of what it sent, as the node has them', async () => {
    const provider = createLightProvider({ urls: [honestUrl()], trust: chain.trust, refreshMs: 200 })
    const ask = <Result>(method: string, ...params: unknown[]) =>
      provider.request({ method, params }) as Promise<Result>
    const told: unknown[] = []
    provider.on('message', ({ data: { result } }) => told.push(result))
    const filter = { address: chain.contract }
    const id = await ask<string>('eth_newFilter', filter)
    await ask('eth_subscribe', 'logs', filter)
    // Fees, gas and chain id of the wallet are proven too. Its nonce would come from the pending block.
    const account = mnemonicToAccount('test test test test test test test test test test test junk')
    const wallet = createWalletClient({ account, transport: custom(provider) })
    const nonce = Number(await ask('eth_getTransactionCount', account.address, 'latest'))
    const data = encodeFunctionData({ abi: compileTraffic().abi, functionName: 'make' })
    const hash = await wallet.sendTransaction({
      chain: null,
      to: chain.contract as `0x${string}`,
      data,
      nonce,
    })
    await eventually(async () => (await ask('eth_getTransactionReceipt', hash)) !== null)
    const { logs, blockNumber } = await chain.rpc<{ logs: readonly unknown[]; blockNumber: string }>(
      'eth_getTransactionReceipt',
      hash,
    )
    expect(logs.length).toBeGreaterThan(0)
    await eventually(() => told.length >= logs.length)
    expect(told).toEqual(logs)
    expect(await ask('eth_getFilterChanges', id)).toEqual(logs)
    expect(await ask('eth_getFilterChanges', id)).toEqual([])
    const ranged = await ask<string>('eth_newFilter', {
      ...filter,
      fromBlock: blockNumber,
      toBlock: blockNumber,
    })
    expect(await ask('eth_getFilterLogs', ranged)).toEqual(logs)
    expect(await ask('eth_uninstallFilter', id)).toBe(true)
    await provider.close()
  })

  test('asks once for headers that many requests need', async () => {
    const asked: string[] = []
    const provider = createLightProvider({
      urls: [honestUrl()],
      trust: chain.trust,
      refreshMs: 60_000,
      fetch: (url, init) => {
        const body = String(init.body)
        if (body.includes('"headers"')) asked.push(body)
        return fetch(url, init)
      },
    })
    const { number } = await provider.head()
    const numbers = Array.from({ length: 20 }, (_, index) => toQuantity(number - 20 + index))
    const found = await Promise.all(
      numbers.map((one) => provider.request({ method: 'eth_getHeaderByNumber', params: [one] })),
    )
    expect(found.map((header) => (header as { number: string }).number)).toEqual(numbers)
    expect(asked.length).toBe(1)
  })

  test('goes on with what an earlier run proved, and not below it', async () => {
    let kept: string | undefined
    const store = {
      load: () => kept,
      save: (text: string) => {
        kept = text
      },
    }
    const first = createLightProvider({ urls: [honestUrl()], trust: chain.trust, store })
    const { number } = await first.head()
    await first.close()
    const second = createLightProvider({ urls: [honestUrl()], store })
    expect((await second.head()).number).toBeGreaterThanOrEqual(number)
    // An endpoint that is behind what was proven.
    const liar = await startLiar(honestUrl())
    try {
      liar.lie(0, async () => (await chain.rpc('perihelion_lightBlock', ['0x4'])) as unknown)
      const third = createLightProvider({ urls: [liar.url], store })
      await expect(third.head()).rejects.toThrow('which was proven before')
    } finally {
      await liar.close()
    }
  })

  test('an old head is an error, not an answer', async () => {
    const provider = createLightProvider({ urls: [honestUrl()], trust: chain.trust, maxAgeMs: 1 })
    await expect(provider.head()).rejects.toThrow(/signed \d+ s ago: older than 0 s \(maxAgeMs\)/)
  })

  test('refuses what nothing proves', async () => {
    const provider = openProvider(chain, [honestUrl()])
    expect(await askProvider(provider, ['txpool_status'])).toMatchObject({ error: { code: -32004 } })
    expect(await askProvider(provider, ['eth_getBalance', chain.contract, 'pending'])).toMatchObject({
      error: { code: -32004, message: 'nothing proves the pending block' },
    })
  })
})
