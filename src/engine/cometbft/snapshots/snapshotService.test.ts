import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { Application } from '../../../app/application.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { LmdbEnvironment } from '../../../base/lmdb/lmdb.ts'
import { createLogger } from '../../../base/logging/log.ts'
import { createDevGenesis } from '../../../chain/genesis/devGenesis.ts'
import { createEvm } from '../../../evm/evm.ts'
import { loadEvmModules } from '../../../evm/host/evmModules.ts'
import { precompilesAt } from '../../../evm/precompiles/precompileTable.ts'
import { StateStore } from '../../../state/stateStore.ts'
import { BlockStore } from '../../../store/blockStore.ts'
import { SnapshotService } from './snapshotService.ts'

const genesis = createDevGenesis({
  chainId: 31_337n,
  accounts: [{ address: new Uint8Array(20).fill(7), balance: 10n ** 20n }],
  coinbase: new Uint8Array(20),
  timestamp: 100n,
})
const log = createLogger('silent')

describe('the snapshots of a node', () => {
  let folder: string
  let path: string
  let environment: LmdbEnvironment
  let blocks: BlockStore
  let app: Application

  const open = (keep = 2): SnapshotService =>
    new SnapshotService({ folder: join(folder, 'snapshots'), path, interval: 2, keep }, { blocks, log })

  const addBlock = async (): Promise<number> => {
    const height = Number(app.head?.header.number) + 1
    const engineHash = keccak256(Uint8Array.of(height))
    app.finalizeDecided({ height, time: BigInt(100 + height), engineHash, entries: [] })
    await app.commit()
    return height
  }

  const heights = (snapshots: SnapshotService): number[] => snapshots.list().map(({ height }) => height)

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-snapshots-'))
    path = join(folder, 'chain.mdb')
    environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
    blocks = new BlockStore(environment)
    const evm = createEvm(await loadEvmModules(), precompilesAt)
    app = new Application(genesis.config, {
      environment,
      state: new StateStore(environment),
      blocks,
      evm,
    })
    await app.initChain(genesis)
  })
  afterAll(async () => {
    await environment.close()
    rmSync(folder, { recursive: true })
  })

  it('are taken at their heights; the newest are kept and served', async () => {
    const snapshots = open()
    for (let round = 0; round < 6; round++) {
      const height = await addBlock()
      snapshots.onCommitted(height)
      if (height % 2 === 0) await eventually(() => heights(snapshots).includes(height))
    }
    expect(heights(snapshots)).toEqual([4, 6])
    expect(snapshots.oldestHeight()).toBe(4)
    await eventually(() => readdirSync(join(folder, 'snapshots')).sort().join() === '4,6')
    const [, newest] = snapshots.list()
    for (const [index, hash] of newest?.metadata.chunks.entries() ?? [])
      expect(toHex(keccak256((await snapshots.chunk(6, 1, index)) as Uint8Array))).toBe(toHex(hash))
    for (const [height, format, index] of [
      [6, 1, 99],
      [6, 2, 0],
      [5, 1, 0],
    ] as const)
      expect(await snapshots.chunk(height, format, index)).toBeUndefined()
    await snapshots.close()
  })

  it('that were not finished, cannot be read or are of other blocks are gone after a start', async () => {
    const made = join(folder, 'snapshots')
    mkdirSync(join(made, '8.partial'))
    writeFileSync(join(made, '8.partial', 'chunks'), 'half')
    mkdirSync(join(made, '2'))
    writeFileSync(join(made, '2', 'index'), 'no index')
    await app.rollback(5)
    const snapshots = open()
    expect(heights(snapshots)).toEqual([4])
    expect(readdirSync(made)).toEqual(['4'])
    await snapshots.close()
  })

  it('of a height that is not there fails by itself, and the next is taken all the same', async () => {
    const snapshots = open()
    snapshots.onCommitted(100)
    await eventually(() => !existsSync(join(folder, 'snapshots', '100.partial')))
    const height = await addBlock()
    await eventually(() => {
      snapshots.onCommitted(height)
      return heights(snapshots).includes(height)
    })
    expect(heights(snapshots)).toEqual([4, 6])
    await snapshots.close()
  })
})
