import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTestClient, createWalletClient, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterEach, describe, expect, test } from 'vitest'
import { callOver } from '../fork/support/remoteChain.ts'
import { sendIpc } from '../support/clients.ts'
import { slow } from '../support/slow.ts'

const program = fileURLToPath(new URL('../../dist/cli/anvil.js', import.meta.url))
const mnemonic = 'test test test test test test test test test test test junk'

/** `perihelion-anvil`, started as programs of the field start anvil: they wait for the line that names the address. */
const startAnvil = async (args: readonly string[], file = program) => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-anvil-test-'))
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH ?? '', TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code]) => code as number)
  const address = await new Promise<string | undefined>((resolve) => {
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      const [, found] = /^Listening on (.*)\n/m.exec(stdout) ?? []
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => resolve(undefined))
  })
  return {
    address,
    url: `http://${address}`,
    stdout: () => stdout,
    stderr: () => stderr,
    folder,
    stop: async (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal)
      const code = await ended
      return code
    },
  }
}

const askAnvil = async (url: string, method: string, params: readonly unknown[]) => {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await (await fetch(url, { method: 'POST', headers, body })).json()
  return answer as { result?: unknown; error?: unknown }
}

type Anvil = Awaited<ReturnType<typeof startAnvil>>

describe('perihelion-anvil', () => {
  const running: Anvil[] = []
  const start = async (...args: readonly string[]): Promise<Anvil> => {
    const anvil = await startAnvil(args)
    running.push(anvil)
    return anvil
  }
  afterEach(async () => {
    for (const anvil of running.splice(0)) {
      await anvil.stop()
      rmSync(anvil.folder, { recursive: true, force: true })
    }
  })

  const clientOf = ({ url }: Anvil) =>
    createTestClient({ mode: 'anvil', chain: foundry, transport: http(url) }).extend(publicActions)

  test('errors have the codes and texts of anvil, and the name of each method is printed', slow, async () => {
    const anvil = await start('--port', '0')
    const ask = (method: string, ...params: readonly unknown[]) => askAnvil(anvil.url, method, params)
    const [alice, nobody] = ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', `0x${'77'.repeat(20)}`]
    const none = { error: { code: -32602, message: 'No Signer available' } }
    expect(await ask('eth_sendTransaction', { from: nobody, to: alice })).toMatchObject(none)
    expect(await ask('eth_sign', nobody, '0x12')).toMatchObject(none)
    await ask('evm_setAutomine', false)
    const transfer = {
      from: alice,
      to: nobody,
      value: '0x1',
      gas: '0x5208',
      gasPrice: '0x174876e800',
      nonce: '0x0',
    }
    await ask('eth_sendTransaction', transfer)
    const rejected = (message: string) => ({ error: { code: -32003, message } })
    expect(await ask('eth_sendTransaction', transfer)).toMatchObject(rejected('transaction already imported'))
    const cheaper = { ...transfer, value: '0x2' }
    const underpriced = rejected('replacement transaction underpriced')
    expect(await ask('eth_sendTransaction', cheaper)).toMatchObject(underpriced)
    const rich = { ...transfer, nonce: '0x1', value: `0x${'ff'.repeat(16)}` }
    const poor = rejected('Insufficient funds for gas * price + value')
    expect(await ask('eth_sendTransaction', rich)).toMatchObject(poor)
    expect(await ask('eth_sendRawTransaction', '0x')).toMatchObject({
      error: { code: -32602, message: 'Empty transaction data' },
    })
    expect(await ask('eth_signTransaction', transfer)).toMatchObject({
      result: expect.stringMatching(/^0x[0-9a-f]+$/),
    })
    const run = (code: string) => ask('eth_call', { to: nobody }, 'latest', { [nobody]: { code } })
    expect(await run('0xfe')).toMatchObject({ error: { code: -32603, message: 'EVM error InvalidFEOpcode' } })
    expect(await run('0x637e4b45935f526004601cfd')).toMatchObject({
      error: { code: 3, message: 'execution reverted: custom error 0x7e4b4593', data: '0x7e4b4593' },
    })
    await ask('anvil_setLoggingEnabled', false)
    await ask('eth_gasPrice')
    const lines = anvil.stdout().split('\n')
    for (const name of ['eth_sign', 'evm_setAutomine', 'eth_sendRawTransaction'])
      expect(lines).toContain(name)
    expect(lines).not.toContain('eth_gasPrice')
  })

  test('the first block has the base fee of the genesis, again after a reset', slow, async () => {
    const anvil = await start('--port', '0', '--base-fee', '1000')
    const ask = async (method: string, ...params: readonly unknown[]) =>
      (await askAnvil(anvil.url, method, params)).result
    for (let round = 0; round < 2; round++) {
      const history = (await ask('eth_feeHistory', '0x1', 'latest', [])) as { baseFeePerGas: string[] }
      expect(history.baseFeePerGas).toEqual(['0x3e8', '0x3e8'])
      await ask('evm_mine')
      expect(await ask('eth_getBlockByNumber', 'latest', false)).toMatchObject({ baseFeePerGas: '0x3e8' })
      await ask('evm_mine')
      expect(await ask('eth_getBlockByNumber', 'latest', false)).toMatchObject({ baseFeePerGas: '0x36b' })
      await ask('anvil_reset')
    }
    // A chain that is not kept has no remote whose URL could be wrong.
    expect(await ask('anvil_setRpcUrl', 'http://127.0.0.1:1')).toBeNull()
  })

  test('a state that is loaded takes the chain to its number and time, forward and back', slow, async () => {
    const anvil = await start('--port', '0')
    const ask = async (method: string, ...params: readonly unknown[]) =>
      (await askAnvil(anvil.url, method, params)).result
    const head = () => ask('eth_getBlockByNumber', 'latest', false) as Promise<Record<string, string>>
    await ask('anvil_mine', '0x5', '0xa')
    const dumped = await head()
    const dump = await ask('anvil_dumpState')
    for (const blocks of ['0x4', '0x0']) {
      await ask('anvil_mine', blocks)
      if (blocks === '0x0') await ask('anvil_reset')
      expect(await ask('anvil_loadState', dump)).toBe(true)
      const { number, timestamp, baseFeePerGas } = await head()
      expect({ number, timestamp, baseFeePerGas }).toEqual({
        number: dumped.number,
        timestamp: dumped.timestamp,
        baseFeePerGas: dumped.baseFeePerGas,
      })
    }
  })

  test('leaves nothing behind when its terminal is closed', async () => {
    const anvil = await start('--port', '0')
    expect(readdirSync(anvil.folder)).not.toEqual([])
    expect(await anvil.stop('SIGHUP')).toBe(0)
    expect(readdirSync(anvil.folder)).toEqual([])
  })

  test('prints what programs that start anvil read, and serves it', slow, async () => {
    const anvil = await start('--port', '0')
    expect(anvil.stderr()).toBe('')
    expect(anvil.address).toMatch(/^127\.0\.0\.1:\d+$/)
    const lines = anvil.stdout().split('\n')
    const sectionOf = (title: string): string[] => {
      const from = lines.indexOf(title) + 2
      const length = lines.slice(from + 1).indexOf('')
      return lines.slice(from, from + 1 + length).filter((line) => line !== '')
    }
    const accounts = Array.from({ length: 10 }, (_, addressIndex) =>
      mnemonicToAccount(mnemonic, { addressIndex }),
    )
    expect(sectionOf('Available Accounts')).toEqual(
      accounts.map(({ address }, index) => `(${index}) ${address} (10000.000000000000000000 ETH)`),
    )
    expect(sectionOf('Private Keys')).toEqual(
      accounts.map((account, index) => {
        const key = Buffer.from(account.getHdKey().privateKey ?? []).toString('hex')
        return `(${index}) 0x${key}`
      }),
    )
    expect(sectionOf('Wallet')).toEqual([
      `Mnemonic:          ${mnemonic}`,
      "Derivation path:   m/44'/60'/0'/0/",
    ])
    expect(sectionOf('Chain ID')).toEqual(['31337'])
    expect(sectionOf('Base Fee')).toEqual(['1000000000'])
    expect(sectionOf('Gas Limit')).toEqual(['30000000'])
    const client = clientOf(anvil)
    const genesis = await client.getBlock({ blockNumber: 0n })
    expect(sectionOf('Genesis Timestamp')).toEqual([String(genesis.timestamp)])
    expect(genesis).toMatchObject({ gasLimit: 30_000_000n, baseFeePerGas: 1_000_000_000n })
    expect(await client.request({ method: 'eth_coinbase' } as never)).toBe(`0x${'00'.repeat(20)}`)
    const [first] = accounts
    const wallet = createWalletClient({ chain: foundry, transport: http(anvil.url) })
    const hash = await wallet.sendTransaction({
      account: first?.address as `0x${string}`,
      to: `0x${'11'.repeat(20)}`,
      value: 1n,
    })
    expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
  })

  test('follows its flags, and leaves nothing behind', slow, async () => {
    const configOut = join(mkdtempSync(join(tmpdir(), 'perihelion-anvil-out-')), 'config.json')
    const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    const socket = join(tmpdir(), `perihelion-anvil-${process.pid}.ipc`)
    const anvil = await start(
      ...['-p', '0', '-a', '2', '--balance', '5', '-m', words, '--derivation-path', "m/44'/60'/1'/"],
      ...['--chain-id', '77', '--gas-limit', '12345678', '--base-fee', '7', '--hardfork', 'cancun'],
      ...['--config-out', configOut, '--ipc', socket, '--block-time', '0.05'],
    )
    const client = clientOf(anvil)
    const paths = ["m/44'/60'/1'/0", "m/44'/60'/1'/1"] as const
    const addresses = paths.map((path) => mnemonicToAccount(words, { path: path as never }).address)
    expect(await client.request({ method: 'eth_accounts' } as never)).toEqual(
      addresses.map((address) => address.toLowerCase()),
    )
    expect(await client.getChainId()).toBe(77)
    expect(await client.getBalance({ address: addresses[1] as `0x${string}` })).toBe(5n * 10n ** 18n)
    const genesis = await client.getBlock({ blockNumber: 0n })
    expect(genesis).toMatchObject({ gasLimit: 12_345_678n, baseFeePerGas: 7n, withdrawals: [] })
    expect(genesis).not.toHaveProperty('requestsHash')
    await expect.poll(() => client.getBlockNumber({ cacheTime: 0 })).toBeGreaterThan(2n)
    expect(
      JSON.parse(await sendIpc(socket, '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')),
    ).toMatchObject({
      result: '0x4d',
    })
    expect(JSON.parse(readFileSync(configOut, 'utf8'))).toMatchObject({
      available_accounts: addresses.map((address) => address.toLowerCase()),
      private_keys: [expect.stringMatching(/^0x[0-9a-f]{64}$/), expect.stringMatching(/^0x[0-9a-f]{64}$/)],
      wallet: { mnemonic: words, derivation_path: "m/44'/60'/1'/" },
      base_fee: '7',
      gas_limit: '12345678',
    })
    expect(await anvil.stop()).toBe(0)
    expect(readdirSync(anvil.folder)).toEqual([])
    rmSync(join(configOut, '..'), { recursive: true, force: true })
  })

  test(
    'runs beside others of its kind, under a link of the name anvil, and may be silent',
    slow,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'perihelion-anvil-link-'))
      const link = join(folder, 'anvil')
      symlinkSync(program, link)
      const first = await start('--port=0')
      const second = await startAnvil(['--port=0'], link)
      running.push(second)
      expect(second.address).not.toBe(first.address)
      expect(await clientOf(second).getChainId()).toBe(31_337)
      rmSync(folder, { recursive: true, force: true })
    },
  )

  test('keeps its state in a file where it is told to', slow, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'perihelion-anvil-state-'))
    const file = join(folder, 'state.json')
    const stranger = `0x${'ab'.repeat(20)}` as const
    const first = await start('--port', '0', '--state', file)
    await clientOf(first).setBalance({ address: stranger, value: 77n })
    expect(await first.stop()).toBe(0)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('accounts')
    const second = await start('--port', '0', '--load-state', file)
    expect(await clientOf(second).getBalance({ address: stranger })).toBe(77n)
    rmSync(folder, { recursive: true, force: true })
  })

  test('makes no block by itself, and lets everybody send, where it is told so', slow, async () => {
    const anvil = await start('--port', '0', '--no-mining', '--auto-impersonate', '--timestamp', '1500000000')
    const client = clientOf(anvil)
    const stranger = `0x${'cd'.repeat(20)}` as const
    await client.setBalance({ address: stranger, value: 10n ** 18n })
    const wallet = createWalletClient({ chain: foundry, transport: http(anvil.url) })
    const hash = await wallet.sendTransaction({ account: stranger, to: stranger, value: 1n })
    expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(0n)
    await client.mine({ blocks: 1 })
    const { blockNumber, status } = await client.getTransactionReceipt({ hash })
    expect([blockNumber, status]).toEqual([1n, 'success'])
    const { timestamp } = await client.getBlock({ blockNumber: 1n })
    expect(Number(timestamp) - 1_500_000_000).toBeLessThan(3600)

    // A reset begins anew with the same flags.
    const call = callOver(anvil.url)
    await client.setAutomine(true)
    await call('anvil_autoImpersonateAccount', false)
    // By the name of Hardhat, which returns to the settings of the start; anvil's own keeps those of now.
    await call('hardhat_reset')
    expect(await client.getAutomine()).toBe(false)
    await client.setBalance({ address: stranger, value: 10n ** 18n })
    await call('eth_sendTransaction', { from: stranger, to: stranger, value: '0x1' })
    await client.mine({ blocks: 1 })
    const again = await client.getBlock({ blockNumber: 1n })
    expect(again.transactions).toHaveLength(1)
    expect(Number(again.timestamp) - 1_500_000_000).toBeLessThan(3600)
  })

  test('refuses to dump the state of a fork', async () => {
    const anvil = await start('--fork-url', 'http://127.0.0.1:1', '--dump-state', 'state.json')
    expect(anvil.stderr()).toBe(
      'perihelion: --dump-state cannot be honoured with --fork-url: the state of a fork is not known as a whole. To keep a fork, use perihelion start --home DIR --fork-url URL\n',
    )
  })

  test.each(['--state', '--load-state'])(
    '%s names itself and a file that has no state',
    slow,
    async (flag) => {
      const folder = mkdtempSync(join(tmpdir(), 'perihelion-anvil-state-'))
      const file = join(folder, 'bad.json')
      writeFileSync(file, 'no state')
      const anvil = await start('--port', '0', flag, file)
      expect(anvil.stderr()).toBe(`perihelion: ${flag} ${file}: Failed to decode state\n`)
      expect(readFileSync(file, 'utf8')).toBe('no state')
      rmSync(folder, { recursive: true, force: true })
    },
  )

  test('refuses what it cannot honour in one line', async () => {
    const anvil = await start('--optimism')
    expect(anvil.address).toBeUndefined()
    expect(anvil.stdout()).toBe('')
    expect(anvil.stderr()).toBe(
      'perihelion: --optimism cannot be honoured: there are the rules of Ethereum alone\n',
    )
    expect(readdirSync(anvil.folder)).toEqual([])
  })
})
