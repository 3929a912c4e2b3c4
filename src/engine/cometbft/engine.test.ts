import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeOptions } from '../../../test/support/nodeOptions.ts'
import { liveThreads } from '../../../test/support/threads.ts'
import { addressTaken, badFile, ExitError, internalFailure } from '../../base/exit.ts'
import { createLogger } from '../../base/logging/log.ts'
import { startNode } from '../../node/node.ts'
import type { NodeOptions } from '../../node/opening/nodeOptions.ts'
import type { EngineHost, PreparedEngine } from '../engine.ts'
import { noEngine } from '../none/engine.ts'
import { CometEngine } from './engine.ts'
import type { CometConnection, CometSettings } from './options.ts'
import { prepareCometbft } from './prepare.ts'
import { createEngineConfig } from './process/config.ts'
import { configPath, ensureConfig, ensureEngineHome } from './process/home.ts'
import { plainValues } from './process/ownedKeys.ts'

const log = createLogger('silent')

const owned = { ...plainValues, p2pAddress: '127.0.0.1:0', persistentPeers: [] }

describe('a start under CometBFT that fails leaves nothing open', () => {
  let folder: string
  let host: EngineHost
  const fatal: string[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-comet-'))
    host = {
      home: folder,
      coinbase: new Uint8Array(20),
      onFatal: ({ message }) => fatal.push(message),
      log,
    }
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
    expect(fatal).toEqual([])
  })

  const settingsFor = (abci: CometSettings['cometbft']['abci']): CometSettings => ({
    blockTimeMs: 0,
    snapshots: { interval: 0, keep: 1 },
    cometbft: { program: '', abci, rpcUrl: 'http://127.0.0.1:1', owned, given: new Map() },
  })

  /** The options of a node whose genesis names the validator of this home. */
  const withValidator = async (): Promise<NodeOptions> => {
    const { genesisConfig } = await prepareCometbft(settingsFor({ kind: 'tcp', host: '::1', port: 0 }), host)
    const options = nodeOptions(join(folder, 'data'), [])
    if (options.genesis.kind !== 'dev') throw new Error('a dev genesis is wanted')
    const genesis = {
      kind: 'dev',
      options: { ...options.genesis.options, validators: genesisConfig },
    } as const
    return { ...options, genesis }
  }

  const managed = (connection: CometConnection): NodeOptions['engine'] => ({
    ...noEngine,
    create: (context) =>
      new CometEngine(
        {
          connection,
          snapshots: { interval: 0, keep: 1 },
          reward: { coinbase: undefined, validatorKey: undefined },
          signingKey: undefined,
          onFatal: host.onFatal,
        },
        context,
      ),
  })

  test('because it is stopped while it waits for CometBFT', async () => {
    const abci = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const
    const prepared = await prepareCometbft(settingsFor(abci), host)
    let stopped: Promise<void> | undefined
    const engine: PreparedEngine = {
      ...prepared,
      create: (context) => {
        const created = prepared.create(context)
        return {
          ...created,
          network: created.network,
          start: (chain) => {
            const started = created.start(chain)
            stopped = created.stop()
            return started
          },
          stop: () => created.stop(),
        }
      },
    }
    await expect(startNode({ ...(await withValidator()), engine }, log)).rejects.toThrow(/while|before/)
    await stopped
    expect(liveThreads()).toBe(0)
  })

  test('for want of validators in the genesis', async () => {
    const engine = await prepareCometbft(settingsFor({ kind: 'tcp', host: '127.0.0.1', port: 0 }), host)
    const started = startNode({ ...nodeOptions(join(folder, 'data'), []), engine }, log)
    const wanted = 'the genesis names no validators (config.perihelion.validators): CometBFT needs them'
    await expect(started).rejects.toThrow(badFile(wanted))
    expect(liveThreads()).toBe(0)
  })

  test('for an address that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const engine = await prepareCometbft(settingsFor({ kind: 'tcp', host: '127.0.0.1', port }), host)
    const started = startNode({ ...(await withValidator()), engine }, log)
    const wanted = `the address 127.0.0.1:${port} is taken by another process`
    await expect(started).rejects.toThrow(addressTaken(wanted))
    expect(liveThreads()).toBe(0)
    other.close()
  })

  test('for an address at which there is a file, which stays', async () => {
    const path = join(folder, 'precious')
    writeFileSync(path, 'data')
    const engine = await prepareCometbft(settingsFor({ kind: 'unix', path }), host)
    await expect(startNode({ ...(await withValidator()), engine }, log)).rejects.toThrow(
      `${path} is there and is not a socket`,
    )
    expect(existsSync(path)).toBe(true)
  })

  test.each([
    ['a program that ends at once', '/bin/false', 'CometBFT did not start; its log says why'],
    [
      'a program that is not there',
      '/nowhere/cometbft',
      'CometBFT did not start: spawn /nowhere/cometbft ENOENT',
    ],
  ])('for %s, after the application listens', async (_, program, wanted) => {
    const home = ensureEngineHome(join(folder, 'engine'))
    ensureConfig(
      home,
      createEngineConfig({
        ...owned,
        moniker: 'test',
        rpcAddress: '127.0.0.1:1',
        blockTimeMs: 100,
        isLocal: true,
      }),
    )
    const socket = join(folder, 'app.sock')
    const engine = managed({ kind: 'managed', program, folder: home.folder, socket })
    await expect(startNode({ ...(await withValidator()), engine }, log)).rejects.toThrow(
      internalFailure(wanted),
    )
    expect(existsSync(socket)).toBe(false)
    expect(liveThreads()).toBe(0)
  })

  test('for a configuration of CometBFT that is not TOML', async () => {
    const home = ensureEngineHome(join(folder, 'engine'))
    writeFileSync(configPath(home), 'moniker = ')
    const socket = join(folder, 'app.sock')
    const engine = managed({ kind: 'managed', program: '/bin/false', folder: home.folder, socket })
    await expect(startNode({ ...(await withValidator()), engine }, log)).rejects.toThrow(ExitError)
    expect(liveThreads()).toBe(0)
  })
})
