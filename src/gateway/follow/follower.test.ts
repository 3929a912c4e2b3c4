import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { toChainInfo } from '../../../test/gateway/families/replayChainInfo.ts'
import { addressOf, claiming, dataFolder } from '../../../test/gateway/follow/harness.ts'
import { type Replay, startReplay } from '../../../test/gateway/replay/server/server.ts'
import { SyntheticChain } from '../../../test/gateway/replay/synthetic.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { slow } from '../../../test/support/slow.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { workerUrl } from '../../base/threads/builtFiles.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { tableNames } from '../../store/tables/chainTables.ts'
import { encodeNumberKey } from '../../store/tables/rowKeys.ts'
import { type Follower, progressOf, startFollower } from './follower.ts'
import { createThreadLog } from './threadLog.ts'

const isBuilt = existsSync(workerUrl('follow'))

test('a block that is on its way, and one that is held for the next, do not make a store behind', () => {
  expect(progressOf(1, 9, 10)).toBeUndefined()
  expect(progressOf(1, 9, 11)).toEqual({ startingBlock: 1, currentBlock: 9, highestBlock: 11 })
  expect(progressOf(1, 9, 11, true)).toBeUndefined()
  expect(progressOf(1, 9, 12, true)).toEqual({ startingBlock: 1, currentBlock: 9, highestBlock: 12 })
})

describe('the follower on its thread', () => {
  let chain: SyntheticChain
  let replay: Replay
  let folder: ReturnType<typeof dataFolder>
  let logs: string[]
  const open: Follower[] = []

  beforeEach(async (ctx) => {
    if (!isBuilt) ctx.skip('the program is not built')
    chain = new SyntheticChain({ family: 'cosmos-evm-0.7', length: 150, content: 'empty' })
    replay = await startReplay({ chain })
    folder = dataFolder()
    logs = []
  })

  afterEach(async () => {
    for (const follower of open.splice(0)) await follower.close()
    await replay?.close()
    folder?.remove()
  })

  const start = async (options: object = {}, quarantined: string[] = []): Promise<Follower> => {
    const follower = await startFollower(
      {
        path: folder.path,
        nodes: [addressOf(replay)],
        chainInfo: toChainInfo(chain),
        minFreeBytes: 0,
        ...options,
      },
      createThreadLog(({ level, fields, text }) => logs.push(`${level} ${text} ${JSON.stringify(fields)}`)),
      { onQuarantine: (node, reason) => quarantined.push(`${node} ${reason}`) },
    )
    open.push(follower)
    return follower
  }

  test('has a head when it begins, tells each that comes, and how far it is', slow, async () => {
    await replay.setFaults({ delay: 2 })
    const follower = await start()
    expect(follower.head().number).toBeGreaterThan(0)
    await eventually(() => follower.progress() !== undefined || follower.head().number === 150)
    const heads: number[] = []
    const stop = follower.onHead(({ number }) => heads.push(number))
    await eventually(() => follower.head().number === 150)
    expect(follower.progress()).toBeUndefined()
    await replay.setFaults({})
    heads.length = 0
    for (let height = 151; height <= 155; height++) {
      replay.grow()
      await eventually(() => follower.head().number === height)
    }
    expect(heads).toEqual([151, 152, 153, 154, 155])
    stop()
    expect((await follower.stats()).upstreams[0]?.state).toBe('ready')
    expect(Buffer.from(follower.head().hash).toString('hex')).toBe(
      Buffer.from(chain.built(155)?.hash ?? []).toString('hex'),
    )
  })

  test('does not hold on to a height that a node made up', async () => {
    await replay.setFaults({ alter: claiming(1_000_000) })
    const follower = await start()
    await eventually(() => follower.target() === 1_000_000)
    expect(follower.progress()).toMatchObject({ highestBlock: 1_000_000 })
    await replay.setFaults({})
    await replay.restart(10)
    await eventually(() => follower.head().number === 150 && follower.target() === 150)
    expect(follower.progress()).toBeUndefined()
  })

  test('does not begin without a block, and says why', async () => {
    await replay.setFaults({ down: true })
    await expect(start()).rejects.toThrow('no node can be used')
  })

  test(
    'begins with what is in the store while no node answers, and goes on when one does',
    slow,
    async () => {
      const first = await start()
      await eventually(() => first.head().number === 150)
      await first.close()
      await replay.setFaults({ down: true })
      const second = await start()
      expect(second.head().number).toBe(150)
      await replay.setFaults({})
      replay.grow(3)
      await eventually(() => second.head().number === 153)
    },
  )

  test('serves no newest block that contradicts what it is kept with', slow, async () => {
    const first = await start()
    await eventually(() => first.head().number === 150)
    await first.close()
    const environment = new LmdbEnvironment({ path: folder.path, minFreeBytes: 0 })
    const store = new BlockStore(environment)
    await environment.transact(() => {
      const headers = environment.table(tableNames.headers)
      const row = Uint8Array.from(headers.get(encodeNumberKey(149)) ?? [])
      headers.put(encodeNumberKey(149), row.fill(7, 0, 32))
    })
    expect(Buffer.from(store.blockHashAt(149) ?? []).toString('hex')).toBe('07'.repeat(32))
    await environment.close()
    await expect(start()).rejects.toThrow(/chain\.mdb is damaged: block 1[45]\d: .*perihelion db check/)
  })

  test('reports nodes that lie', async () => {
    const quarantined: string[] = []
    const follower = await start({}, quarantined)
    await eventually(() => follower.head().number === 150)
    await replay.setFaults({
      alter: (method, result, { height }) => {
        const event = result as { data: { value: { block_id: { hash: string } } } }
        if (method === 'NewBlock' && height === '152') event.data.value.block_id.hash = 'AB'.repeat(32)
        return result
      },
    })
    replay.grow(3)
    await eventually(() => quarantined.length > 0)
    expect(quarantined[0]).toContain(replay.url)
    expect(follower.head().number).toBeLessThan(152)
    expect(logs.some((line) => line.includes('not asked for a while'))).toBe(true)
  })
})
