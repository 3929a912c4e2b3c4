import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../../support/node.ts'

/** Hardhat's network helpers, one by one, as its users run them. */

/** Returns the folder of packages that has Hardhat 2 and the helpers; undefined if there is none. */
const findPackages = (): string | undefined => {
  const peers = process.env.BENCH_PEERS
  const folders =
    peers === undefined ? [] : [join(peers, 'hardhat2', 'node_modules'), join(peers, 'node_modules')]
  return folders.find(
    (folder) =>
      existsSync(join(folder, 'hardhat', 'package.json')) &&
      existsSync(join(folder, '@nomicfoundation', 'hardhat-network-helpers', 'package.json')),
  )
}

const packages = findPackages()
const reason =
  packages === undefined
    ? ' (skipped: BENCH_PEERS names no folder with hardhat 2 and @nomicfoundation/hardhat-network-helpers)'
    : ''
const script = new URL('./helpers.cjs', import.meta.url)
const names = [...readFileSync(script, 'utf8').matchAll(/^ {2}'?([a-zA-Z.]+)'?: async/gm)].map(
  ([, name]) => name,
)

describe.skipIf(packages === undefined)(`the network helpers${reason}`, () => {
  let node: TestNode
  let folder: string
  let lines: readonly string[]

  beforeAll(async () => {
    node = await startTestNode('--ephemeral')
    folder = mkdtempSync(join(tmpdir(), 'perihelion-hardhat-'))
    symlinkSync(packages as string, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "name": "helpers" }')
    writeFileSync(
      join(folder, 'hardhat.config.js'),
      `module.exports = { defaultNetwork: 'node', networks: { node: { url: '${node.http}' } } }`,
    )
    writeFileSync(join(folder, 'helpers.cjs'), readFileSync(script))
    const env = { ...process.env, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', NODE_OPTIONS: '' }
    const { stdout } = await promisify(execFile)(process.execPath, ['helpers.cjs'], { cwd: folder, env })
    lines = stdout.trim().split('\n')
  })
  afterAll(async () => {
    await node.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(names)('%s', (name) => {
    expect(lines).toContain(`ok ${name}`)
  })
})
