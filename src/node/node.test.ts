import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeOptions } from '../../test/support/nodeOptions.ts'
import { liveThreads } from '../../test/support/threads.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { createLogger } from '../base/logging/log.ts'
import type { Engine, PreparedEngine } from '../engine/engine.ts'
import { noEngine } from '../engine/none/engine.ts'
import { startNode } from './node.ts'

const log = createLogger('silent')

describe('the life of a node', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-node-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  const start = (engine: PreparedEngine) => startNode({ ...nodeOptions(folder, []), engine }, log)

  /** No thread is left, and whoever comes next can write. */
  const expectNothingLeft = async (): Promise<void> => {
    expect(liveThreads()).toBe(0)
    const environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb') })
    await environment.transact(() => {})
    await environment.close()
    const node = await start(noEngine)
    expect(node.chain.head().number).toBe(0)
    await node.close()
  }

  const failure = new Error('no engine today')

  test('a start whose engine cannot be made closes what is open', async () => {
    const engine: PreparedEngine = {
      ...noEngine,
      create: () => {
        throw failure
      },
    }
    await expect(start(engine)).rejects.toBe(failure)
    await expectNothingLeft()
  })

  test('a start whose engine does not start stops it and closes what is open', async () => {
    const stopped: string[] = []
    const engine: PreparedEngine = {
      ...noEngine,
      create: (context): Engine => ({
        ...noEngine.create(context),
        start: () => Promise.reject(failure),
        stop: async () => void stopped.push('engine'),
      }),
    }
    await expect(start(engine)).rejects.toBe(failure)
    expect(stopped).toEqual(['engine'])
    await expectNothingLeft()
  })

  test('a start with a genesis that cannot be read ends the thread that read it', async () => {
    const options = { ...nodeOptions(folder, []), genesis: { kind: 'file', text: '{}' } as const }
    await expect(startNode(options, log)).rejects.toMatchObject({ thrownName: 'GenesisError' })
    await expectNothingLeft()
  })

  test('a node that is about to be closed lets nobody wait for a block', async () => {
    const node = await start(noEngine)
    const waiting = node.chain.pool.waitFor(new Uint8Array(32), new AbortController().signal)
    node.stopCalls()
    expect(await waiting).toBeUndefined()
    await node.close()
  })

  test('a node that is closed leaves nothing, however often it is closed', async () => {
    const node = await start(noEngine)
    expect(liveThreads()).toBe(1)
    await Promise.all([node.close(), node.close()])
    await node.close()
    await expectNothingLeft()
  })
})
