// `npm run long -- pictures [FOLDER]`: draws the README's pictures again, a terminal and the explorer of the same dev chain, into
// docs/pictures. Look at them before a commit. With a folder it draws more into that: the terminal at 80 and 140 columns, and the
// explorer's pages in light, in dark and on a phone.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { createWalletClient, defineChain, type Hex, http, publicActions } from 'viem'
import { openPage, startBrowser } from '../test/explorer/browser.ts'
import { runInTerminal } from '../test/support/terminal.ts'
import { buildSolidity, contractOf } from './solidity.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = readFileSync(join(root, 'test/explorer/Sample.sol'), 'utf8')
const [folder = join(root, 'docs/pictures')] = process.argv.slice(2)
const isReview = process.argv.length > 2
const picture = (name: string): string => join(folder, `${name}.png`)

/** Starts a dev chain in a terminal. */
const startTerminal = (home: string, columns: number) => {
  const flags = [
    'start',
    '--ephemeral',
    '--accounts=3',
    '--json-rpc.address=127.0.0.1:8545',
    '--json-rpc.ws-address=127.0.0.1:8546',
  ]
  const { output, ended, interrupt } = runInTerminal(flags, { env: { HOME: home }, columns })
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  return {
    output,
    /** Waits until the terminal shows a text. */
    shows: async (text: string) => {
      while (!output().includes(text)) {
        if (hasEnded) throw new Error(`the node has ended without "${text}": ${output()}`)
        await pause(50)
      }
    },
    stop: async () => {
      interrupt()
      await ended
    },
  }
}

/** What a developer does in a first minute: a token, transfers, the last of which fails. */
const useChain = async (url: string): Promise<Hex> => {
  const chain = defineChain({
    id: 31337,
    name: 'dev',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const reader = createWalletClient({ chain, transport: http(url) }).extend(publicActions)
  const [alice, bob, carol] = (await reader.getAddresses()) as [Hex, Hex, Hex]
  const client = createWalletClient({ chain, account: alice, transport: http(url) }).extend(publicActions)
  const token = contractOf(
    buildSolidity(source, { evmVersion: 'cancun' }, ['abi', 'evm.bytecode', 'evm.deployedBytecode']),
    'Token',
  )
  const abi = token.abi as []
  const bytecode: Hex = `0x${token.evm.bytecode.object}`
  const hash = await client.deployContract({ abi, bytecode, args: ['Gold', 'GOLD'] as never })
  const address = (await client.waitForTransactionReceipt({ hash })).contractAddress as Hex
  const transfer = (account: Hex, to: Hex, amount: bigint) =>
    client.writeContract({
      account,
      address,
      abi,
      functionName: 'transfer',
      args: [to, amount],
      gas: 100_000n,
    } as never)
  for (const amount of [125n, 40n]) await transfer(alice, bob, amount * 10n ** 17n)
  await client.sendTransaction({ account: carol, to: bob, value: 25n * 10n ** 17n })
  return transfer(carol, alice, 10n ** 21n)
}

const colors: Readonly<Record<string, string>> = {
  '31': '#ff7b72',
  '32': '#7ee787',
  '33': '#e3b341',
  '34': '#79c0ff',
  '35': '#d2a8ff',
  '36': '#76e3ea',
  '90': '#8b949e',
}

const styleOf = (code: string, before: string): string => {
  if (code === '1') return `${before}font-weight:bold;`
  if (code === '2') return `${before}opacity:.65;`
  const color = colors[code]
  return color === undefined ? '' : `${before}color:${color};`
}

/** Turns the colours of a terminal into HTML. */
const toHtml = (output: string): string => {
  const [first = '', ...parts] = output
    .replaceAll('\r', '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .split('\x1b[')
  let style = ''
  return `${first}${parts
    .map((part) => {
      const end = part.indexOf('m')
      for (const code of part.slice(0, end).split(';')) style = styleOf(code, style)
      return `<span style="${style}">${part.slice(end + 1)}</span>`
    })
    .join('')}`
}

const drawTerminal = async (
  browser: Browser,
  name: string,
  columns: number,
  output: string,
): Promise<void> => {
  const page = await browser.newPage({ viewport: { width: 10 * columns, height: 400 } })
  await page.setContent(
    `<body style="margin:0;background:#0d1117;color:#e6edf3;font:13px/1.45 'DejaVu Sans Mono',monospace"><pre style="margin:0;padding:16px 20px;font:inherit;white-space:pre">$ perihelion start --ephemeral --accounts 3\n\n${toHtml(output)}</pre></body>`,
  )
  await page.screenshot({ path: picture(name), fullPage: true })
  await page.close()
}

const wide = { width: 1000, height: 720 }

const drawExplorer = async (browser: Browser, url: string, failed: Hex): Promise<void> => {
  const view = await openPage(browser, url, { viewport: wide, colorScheme: 'light' })
  await view.open(`/#/tx/${failed}`)
  await view.page.screenshot({ path: picture('explorer') })
  await view.close()
}

const looks = {
  light: { viewport: wide, colorScheme: 'light' },
  dark: { viewport: wide, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
} as const

const drawEveryPage = async (browser: Browser, url: string, failed: Hex): Promise<void> => {
  const client = createWalletClient({ transport: http(url) }).extend(publicActions)
  const { from, to, blockNumber } = await client.getTransactionReceipt({ hash: failed })
  const pages = {
    overview: '/',
    transaction: `/#/tx/${failed}`,
    block: `/#/block/${blockNumber}`,
    account: `/#/address/${from}`,
    contract: `/#/address/${to}`,
  }
  for (const [look, options] of Object.entries(looks)) {
    const view = await openPage(browser, url, options)
    for (const [page, route] of Object.entries(pages)) {
      await view.open(route)
      await view.page.screenshot({ path: picture(`${page}-${look}`), fullPage: true })
    }
    await view.close()
  }
}

/** Draws the terminal of a node at a width, and then what that node's explorer shows. */
const draw = async (
  browser: Browser,
  name: string,
  columns: number,
  drawMore: (url: string, failed: Hex) => Promise<void>,
): Promise<void> => {
  const home = mkdtempSync(join(tmpdir(), 'perihelion-pictures-'))
  const terminal = startTerminal(home, columns)
  try {
    const url = 'http://127.0.0.1:8545'
    await terminal.shows('Ctrl-C')
    const failed = await useChain(url)
    await terminal.shows('ERC20InsufficientBalance')
    await drawTerminal(browser, name, columns, terminal.output().trimEnd())
    await drawMore(url, failed)
  } finally {
    await terminal.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

const browser = await startBrowser()
try {
  await draw(browser, 'terminal', 100, async (url, failed) => {
    await drawExplorer(browser, url, failed)
    if (isReview) await drawEveryPage(browser, url, failed)
  })
  if (isReview)
    for (const columns of [80, 140])
      await draw(browser, `terminal-${columns}`, columns, async () => undefined)
} finally {
  await browser.close()
}
