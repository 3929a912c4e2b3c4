import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Replay, startReplay } from '../gateway/replay/server/server.ts'
import { SyntheticChain } from '../gateway/replay/synthetic.ts'
import { postJson } from '../support/clients.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The chain's nodes for the example: a synthetic chain behind real CometBFT-like interfaces. */
const startChain = (): Promise<Replay> =>
  startReplay({
    chain: new SyntheticChain({ family: 'cosmos-evm-0.7', length: 5, content: { transactions: 2 } }),
  })

test('the gateway of the examples serves a chain with its method added, and ends on a signal', async () => {
  const chain = await startChain()
  // The example imports the package by its name, as in a project that installed it.
  const folder = mkdtempSync(join(tmpdir(), 'example-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'perihelion'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  cpSync(join(root, 'examples', 'gateway', 'main.ts'), join(folder, 'main.ts'))
  const tsx = join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs')
  const child = spawn(process.execPath, [tsx, 'main.ts', chain.url], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const served = String((await lines.next()).value)
    const [, url = ''] = /served at (http:\S+)$/.exec(served) ?? []
    expect(String((await lines.next()).value)).toMatch(/^its newest block is 0x[0-9a-f]+ seconds old$/)
    const ask = async (method: string) =>
      JSON.parse(await postJson(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })))
    expect(await ask('example_blockAge')).toMatchObject({ result: expect.stringMatching(/^0x/) })
    expect(await ask('eth_chainId')).toMatchObject({ result: expect.stringMatching(/^0x/) })
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  } finally {
    child.kill('SIGKILL')
    await chain.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
