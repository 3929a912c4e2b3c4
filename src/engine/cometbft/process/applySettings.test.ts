import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ExitError } from '../../../base/exit.ts'
import type { Logger } from '../../../base/logging/log.ts'
import { settings } from '../../../config/settings/settings.ts'
import { applySettings, writeSettings } from './applySettings.ts'
import { createEngineConfig } from './config.ts'
import { type OwnedValues, ownedKeys, plainValues } from './ownedKeys.ts'

const id = 'ab'.repeat(20)
const values: OwnedValues = {
  ...plainValues,
  p2pAddress: '0.0.0.0:26656',
  rpcAddress: '127.0.0.1:26657',
  persistentPeers: [],
  blockTimeMs: 1000,
}
const file = createEngineConfig({ ...values, moniker: 'one', isLocal: false })
const given = (...names: readonly string[]) => new Map(names.map((name) => [name, `--${name}`]))

describe('what settings say about CometBFT', () => {
  it('is named by settings that there are', () => {
    expect(ownedKeys.flatMap((key) => key.settings).filter((name) => !(name in settings))).toEqual([])
  })

  it('changes nothing where nothing is given, and tells what the file says of its own', () => {
    const edited = file.replace('0.0.0.0:26656', '10.0.0.1:1').replace('[p2p]', '[p2p]\npex = false # mine')
    expect(applySettings(file, values, given())).toEqual({ text: file, changed: [], kept: [] })
    expect(applySettings(edited, values, given())).toMatchObject({
      text: edited,
      changed: [],
      kept: [
        { key: 'p2p.laddr', value: 'tcp://10.0.0.1:1' },
        { key: 'p2p.pex', value: false },
      ],
    })
  })

  it('is written key by key, and everything else stays as it was', () => {
    const edited = `${file}# the end\n`.replace('send_rate = 20000000', 'send_rate = 5 # slow')
    const { text, changed } = applySettings(
      edited,
      {
        ...values,
        p2pAddress: '10.0.0.1:26656',
        persistentPeers: [`${id}@10.0.0.2:26656`],
        seeds: [`${id}@10.0.0.3:26656`],
        privatePeers: [id],
        unconditionalPeers: [id],
        peerExchange: false,
        externalAddress: 'one.example:26656',
        metricsAddress: '127.0.0.1:26660',
        remoteSigner: { kind: 'tcp', host: '127.0.0.1', port: 26_659 },
        blockTimeMs: 2000,
        stateSync: {
          rpcServers: ['a:1', 'b:2'],
          trustHeight: 7,
          trustHash: 'ab',
          trustPeriod: 1000,
        },
      },
      given(...ownedKeys.flatMap((key) => key.settings)),
    )
    expect(parse(text)).toMatchObject({
      moniker: 'one',
      priv_validator_laddr: 'tcp://127.0.0.1:26659',
      rpc: { laddr: 'tcp://127.0.0.1:26657' },
      p2p: {
        laddr: 'tcp://10.0.0.1:26656',
        external_address: 'one.example:26656',
        persistent_peers: `${id}@10.0.0.2:26656`,
        addr_book_strict: true,
        seeds: `${id}@10.0.0.3:26656`,
        private_peer_ids: id,
        unconditional_peer_ids: id,
        pex: false,
        send_rate: 5,
      },
      consensus: { timeout_commit: '2000ms' },
      statesync: {
        enable: true,
        rpc_servers: 'a:1,b:2',
        trust_height: 7,
        trust_hash: 'ab',
        chunk_fetchers: 16,
      },
      instrumentation: { prometheus: true, prometheus_listen_addr: '127.0.0.1:26660' },
    })
    expect(text).toContain('send_rate = 5 # slow')
    expect(text).toMatch(/# the end\n/)
    expect(changed).toContainEqual({
      key: 'p2p.laddr',
      was: 'tcp://0.0.0.0:26656',
      wasStandard: true,
      now: 'tcp://10.0.0.1:26656',
      by: 'engine-p2p (--engine-p2p)',
      isSecret: false,
    })
  })

  it('is not written again where the file says the same in other words', () => {
    const edited = file.replace('[consensus]', '[consensus]\ntimeout_commit = "2s"')
    const { text } = applySettings(
      edited,
      { ...values, blockTimeMs: 2000 },
      given('block-time', 'engine-p2p'),
    )
    expect(text).toBe(edited)
  })

  it('reverts what was set before, and leaves the figures of state sync that are the operator’s', () => {
    const stateSync = { rpcServers: ['a:1', 'b:2'], trustHeight: 7, trustHash: 'ab', trustPeriod: 1000 }
    const old = createEngineConfig({
      ...{ ...values, stateSync, persistentPeers: [`${id}@127.0.0.1:1`] },
      ...{ moniker: 'one', isLocal: true },
    }).replace('discovery_time = "5s"', 'discovery_time = "40s"')
    const emptied = applySettings(old, values, given('persistent-peers', 'statesync.rpc-servers'))
    expect(parse(emptied.text)).toMatchObject({ p2p: { persistent_peers: '' }, statesync: { enable: false } })
    const again = applySettings(emptied.text, { ...values, stateSync }, given('statesync.rpc-servers'))
    expect(parse(again.text)).toMatchObject({ statesync: { enable: true, discovery_time: '40s' } })
  })

  it('lets peers of this computer share its address', () => {
    const persistentPeers = [`${id}@127.0.0.1:1`, `${id}@127.0.0.2:26656`]
    const { text } = applySettings(file, { ...values, persistentPeers }, given('persistent-peers'))
    expect(parse(text)).toMatchObject({ p2p: { addr_book_strict: false, allow_duplicate_ip: true } })
  })
})

describe('writing them', () => {
  let folder: string
  let path: string
  let said: string[]
  const write = (): void => {
    const level = (name: string) => (text: unknown) => void said.push(`${name} ${text}`)
    const log = { info: level('info'), warn: level('warn') } as unknown as Logger
    const peers = { persistentPeers: [`${id}@10.0.0.2:26656`], p2pAddress: '10.0.0.1:26656' }
    const stateSync = {
      rpcServers: ['http://u:secret@a', 'b:2'],
      trustHeight: 7,
      trustHash: 'ab',
      trustPeriod: 1,
    }
    writeSettings(path, {
      values: { ...values, ...peers, stateSync },
      given: given('engine-p2p', 'persistent-peers', 'statesync.rpc-servers'),
      log,
    })
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-apply-'))
    path = join(folder, 'config.toml')
    said = []
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is said once, and without what may be a secret', () => {
    writeFileSync(path, file.replace('tcp://0.0.0.0:26656', 'tcp://10.0.0.9:26656'))
    write()
    expect(said).toContain(
      `warn ${path}: p2p.laddr is "tcp://10.0.0.1:26656", where it said "tcp://10.0.0.9:26656": engine-p2p (--engine-p2p) says so`,
    )
    expect(said).toContain(
      `info ${path}: p2p.persistent_peers is "${id}@10.0.0.2:26656": persistent-peers (--persistent-peers) says so`,
    )
    expect(said.join('\n')).not.toContain('secret')
    said = []
    write()
    expect(said).toEqual([])
  })

  it('warns of no value that nobody chose', () => {
    writeFileSync(path, file)
    write()
    expect(said).toContain(
      `info ${path}: p2p.laddr is "tcp://10.0.0.1:26656", where it said "tcp://0.0.0.0:26656": engine-p2p (--engine-p2p) says so`,
    )
    expect(said.filter((line) => line.startsWith('warn'))).toEqual([])
  })

  it('follows a link', () => {
    mkdirSync(join(folder, 'elsewhere'))
    const target = join(folder, 'elsewhere', 'comet.toml')
    writeFileSync(target, file)
    symlinkSync(target, path)
    write()
    expect(readFileSync(target, 'utf8')).toContain('10.0.0.1:26656')
  })

  it.each([
    ['p2p = ', 74],
    ['p2p = { laddr = "tcp://1.1.1.1:1" }', 78],
  ])('rejects %j, and leaves it', (text, code) => {
    writeFileSync(path, text)
    let error: unknown
    try {
      write()
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(ExitError)
    expect((error as ExitError).exitCode).toBe(code)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})
