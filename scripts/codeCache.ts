// Writes the compiled code of the bundles beside them: first as they are compiled, then, for those that a start needs, with
// the functions that ran until the first answers.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { codeCachePath, encodeCodeCache, wrapBundle } from '../src/base/bundles/codeCache.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const bundles = join(root, 'dist', 'bundles')

/** What runs at a start: these must be recorded. */
const atStart = ['program.js', 'app.js', 'call.js']

/** What runs if the batch that is sent is recovered by more than one thread, which a slow machine may not need. */
const perhaps = ['recovery.js']

/** Too small to matter, or loaded by few. */
const uncached = ['loader.js', 'noble.js']

const timeoutMs = 60_000
const perhapsMs = 1_000

const requests = [
  { method: 'web3_clientVersion', params: [] },
  { method: 'eth_chainId', params: [] },
  { method: 'eth_blockNumber', params: [] },
  { method: 'eth_accounts', params: [] },
  { method: 'eth_getBlockByNumber', params: ['latest', true] },
  { method: 'eth_getBalance', params: [`0x${'11'.repeat(20)}`, 'latest'] },
  { method: 'eth_call', params: [{ to: `0x${'11'.repeat(20)}` }, 'latest'] },
  // On a thread of its own.
  { method: 'debug_traceCall', params: [{ to: `0x${'11'.repeat(20)}` }, 'latest'] },
]

const write = (name: string, makeCode: (text: string) => Uint8Array): void => {
  const file = join(bundles, name)
  const bytes = readFileSync(file)
  writeFileSync(codeCachePath(file), encodeCodeCache(bytes, makeCode(bytes.toString('latin1'))))
}

/** Returns the URL of the ready line of a program. */
const readyUrl = async (child: ChildProcess): Promise<string> => {
  if (child.stdout === null) throw new Error('the program has no output')
  for await (const line of createInterface(child.stdout)) {
    const url = /^perihelion ready .*\bhttp=(\S+)/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('the program ended before it was ready')
}

interface Request {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Sends requests, as a batch if they are many, and returns what came. */
const post = async (url: string, asked: readonly Request[]): Promise<unknown[]> => {
  const calls = asked.map((request, id) => ({ jsonrpc: '2.0', id, ...request }))
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.length === 1 ? calls[0] : calls),
  })
  const answers = [await response.json()].flat() as { result?: unknown; error?: { message: string } }[]
  return answers.map(({ result, error }, index) => {
    if (error !== undefined) throw new Error(`${asked[index]?.method}: ${error.message}`)
    return result
  })
}

/** More than are recovered in place, so that the recovery thread runs too. */
const transfers = 24

/** Sends a batch of transfers and two alone: all that a block needs has run then. */
const send = async (url: string): Promise<void> => {
  const [accounts] = (await post(url, [{ method: 'eth_accounts', params: [] }])) as [string[]]
  const signed = await post(
    url,
    Array.from({ length: transfers + 2 }, (_, nonce) => ({
      method: 'eth_signTransaction',
      params: [
        {
          ...{ from: accounts[0], to: accounts[1], value: '0x1', gas: '0x5208' },
          ...{ nonce: `0x${nonce.toString(16)}`, gasPrice: '0x2540be400' },
        },
      ],
    })),
  )
  const sends = (signed as { raw: string }[]).map(({ raw }) => ({
    method: 'eth_sendRawTransaction',
    params: [raw],
  }))
  const hashes = await post(url, sends.slice(0, transfers))
  for (const one of sends.slice(transfers)) hashes.push(...(await post(url, [one])))
  await post(url, [{ method: 'eth_getTransactionReceipt', params: [hashes.at(-1)] }])
}

const ask = async (url: string): Promise<void> => {
  for (const request of requests) await post(url, [request])
  await send(url)
}

/** Runs the program until it answered, and has its threads write their code. */
const record = async (folder: string): Promise<void> => {
  const home = join(folder, 'home')
  const addresses = ['--json-rpc.address=127.0.0.1:0', '--json-rpc.ws-address=127.0.0.1:0']
  const child = spawn(
    process.execPath,
    [
      ...['--require', join(root, 'scripts', 'recordCode.cjs'), join(root, 'dist', 'cli', 'main.js')],
      ...['start', '--home', home, ...addresses],
    ],
    {
      env: { PATH: process.env.PATH, RECORD_CODE_FOLDER: folder },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const closed = once(child, 'close')
  try {
    await ask(await readyUrl(child))
    writeFileSync(join(folder, 'write'), '')
    const until = performance.now() + timeoutMs
    const isThere = (name: string): boolean => existsSync(join(folder, `${name}.code`))
    while (!atStart.every(isThere)) {
      if (performance.now() > until) throw new Error('not all threads wrote their code')
      await setTimeout(20)
    }
    const untilAll = performance.now() + perhapsMs
    while (!perhaps.every(isThere) && performance.now() < untilAll) await setTimeout(20)
  } finally {
    child.kill('SIGTERM')
    await closed
  }
}

for (const name of readdirSync(bundles).filter((file) => file.endsWith('.cache'))) rmSync(join(bundles, name))
for (const name of readdirSync(bundles).filter((file) => file.endsWith('.js') && !uncached.includes(file)))
  write(name, (text) => new Script(wrapBundle(text)).createCachedData())
const folder = mkdtempSync(join(tmpdir(), 'perihelion-code-'))
try {
  await record(folder)
  for (const name of [...atStart, ...perhaps]) {
    const code = join(folder, `${name}.code`)
    if (existsSync(code)) write(name, () => readFileSync(code))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
