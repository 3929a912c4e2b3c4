import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'

const mainFile = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'perihelion-sync-'))
afterAll(() => rmSync(home, { recursive: true }))

it('a state sync that names nobody to trust is refused, with all that is missing', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      mainFile,
      'start',
      '--engine',
      'cometbft',
      '--home',
      home,
      '--statesync.rpc-servers',
      'http://rpc1:26657',
    ],
    { encoding: 'utf8' },
  )
  expect(status).toBe(78)
  for (const name of ['rpc-servers', 'trust-height', 'trust-hash'])
    expect(stderr).toContain(`statesync.${name}: `)
  expect(existsSync(join(home, 'engine', 'config', 'config.toml'))).toBe(false)
})
