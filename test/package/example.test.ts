import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = temporaryHome()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (command: string, ...args: readonly string[]) =>
  spawnSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } })

/** The version of a tool that this project uses too. */
const pinned = (name: string): string => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
  return `${name}@${devDependencies[name]}`
}

test(
  'an empty folder that installs the package type-checks the first example under strict and runs it',
  slow,
  () => {
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      stdio: 'ignore',
    })
    const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
    writeFileSync(join(folder, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
    const tools = ['vitest', 'viem', 'typescript', '@types/node'].map(pinned)
    const installed = run('npm', 'install', '--no-audit', '--no-fund', `./${archive}`, ...tools)
    expect(installed.status, installed.stderr).toBe(0)
    cpSync(join(root, 'examples', 'vitest'), folder, { recursive: true })
    const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
    const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023']
    const checked = run('npx', 'tsc', ...strict, ...files)
    expect(checked.stdout).toBe('')
    expect(checked.status).toBe(0)
    const tested = run('npx', 'vitest', 'run')
    expect(tested.status, tested.stdout).toBe(0)
    expect(tested.stdout).toMatch(/Tests +6 passed/)
  },
)
