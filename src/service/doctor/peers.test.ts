import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LoadedConfig } from '../../config/load.ts'
import { checkPeers } from './peers.ts'

test('a peer with an impossible port is reported, and the others too', async () => {
  const home = mkdtempSync(join(tmpdir(), 'perihelion-peers-'))
  const server = createServer().listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const folder = join(home, 'engine', 'config')
    mkdirSync(folder, { recursive: true })
    const peers = `aa@127.0.0.1:70000,bb@127.0.0.1:${port}`
    writeFileSync(
      join(folder, 'config.toml'),
      `[rpc]\nladdr = "tcp://127.0.0.1:26657"\n[p2p]\npersistent_peers = "${peers}"\n`,
    )
    // The rest is not looked at.
    const config = { home, engine: 'cometbft' } as LoadedConfig['config']
    const findings = await checkPeers({ config, given: new Map() }, false)
    expect(findings.map(({ level, text }) => `${level} ${text}`)).toEqual([
      'warning peer aa at 127.0.0.1:70000 does not answer',
      `ok 127.0.0.1:${port} answers; start this node to check its id`,
    ])
  } finally {
    server.close()
    rmSync(home, { recursive: true, force: true })
  }
})
