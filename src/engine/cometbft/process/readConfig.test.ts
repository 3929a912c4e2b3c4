import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readEngineConfig, readListenAddresses } from './readConfig.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-config-'))
  mkdirSync(join(folder, 'config'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const read = (text: string) => {
  writeFileSync(join(folder, 'config', 'config.toml'), text)
  return readEngineConfig(folder)
}

it.each([
  ['', true],
  ['laddr = "tcp://127.0.0.1:1"', true],
  ['laddr = "tcp://127.1.2.3:1"', true],
  ['laddr = "tcp://localhost:1"', true],
  ['laddr = "tcp://[::1]:1"', true],
  ['laddr = "tcp://0.0.0.0:1"', false],
  ['laddr = "tcp://127.example.org:1"', false],
  ['laddr = "tcp://10.0.0.1:1"', false],
  ['laddr = "tcp://127.0.0.1:1"\nunsafe = false', false],
  ['laddr = "tcp://0.0.0.0:1"\nunsafe = true', true],
])('with %j the methods that change the node are there: %s', (rpc, isThere) => {
  expect(read(`[rpc]\n${rpc}\n`).hasUnsafeRpc).toBe(isThere)
})

it('reads the address and the peers', () => {
  expect(read('[rpc]\nladdr = "tcp://0.0.0.0:7"\n[p2p]\npersistent_peers = "a@h:1,b@h:2"')).toMatchObject({
    rpcUrl: 'http://127.0.0.1:7',
    persistentPeers: ['a@h:1', 'b@h:2'],
  })
  expect(read('[p2p]\npersistent_peers = " a@h:1 , b@h:2, ,"').persistentPeers).toEqual(['a@h:1', 'b@h:2'])
  expect(read('').persistentPeers).toEqual([])
})

it('reads where the engine listens, as far as that is an address', () => {
  read(
    '[rpc]\nladdr = "tcp://0.0.0.0:7"\n[p2p]\nladdr = "tcp://[::1]:8"\nexternal_address = "tcp://a.example:9"',
  )
  expect(readListenAddresses(folder)).toEqual({
    rpc: { host: '0.0.0.0', port: 7 },
    p2p: { host: '::1', port: 8 },
    external: 'a.example:9',
  })
  read('[p2p]\nladdr = "tcp://:8"')
  expect(readListenAddresses(folder)).toEqual({
    rpc: { host: '127.0.0.1', port: 26657 },
    p2p: undefined,
    external: undefined,
  })
})
