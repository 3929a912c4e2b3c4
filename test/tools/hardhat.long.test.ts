import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startTestNode } from '../support/node.ts'

/** A folder with `hardhat` 2, its toolbox and `solc` in node_modules; `HARDHAT_FOLDER` names another one. */
const peers = process.env.HARDHAT_FOLDER ?? '/opt/peers/hardhat-toolbox'
const modules = join(peers, 'node_modules')
const project = fileURLToPath(new URL('hardhat', import.meta.url))

test.for(['perihelion', 'localhost'])(
  'a project of Hardhat 2 runs its tests on the network %s',
  { timeout: 300_000 },
  async (network, ctx) => {
    if (!existsSync(join(modules, '@nomicfoundation/hardhat-toolbox/package.json')))
      ctx.skip(`Hardhat 2 with its toolbox is not installed in ${peers} (HARDHAT_FOLDER)`)
    const folder = mkdtempSync(join(tmpdir(), 'perihelion-hardhat-'))
    const node = await startTestNode()
    try {
      cpSync(project, folder, { recursive: true })
      symlinkSync(modules, join(folder, 'node_modules'))
      writeFileSync(join(folder, 'package.json'), '{}')
      const args = [
        join(modules, 'hardhat/internal/cli/bootstrap.js'),
        'test',
        '--config',
        'hardhat.config.cjs',
        '--network',
        network,
      ]
      const env = {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
        PERIHELION_URL: node.http,
        PERIHELION_PROJECT: folder,
      }
      const { stdout } = await promisify(execFile)(process.execPath, [...args, 'test/vault.cjs'], {
        cwd: folder,
        env,
      }).catch((error: Error & { stdout?: string; stderr?: string }) => {
        throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`)
      })
      expect(stdout).toMatch(/\d+ passing/)
      expect(stdout).not.toMatch(/failing/)
    } finally {
      await node.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
