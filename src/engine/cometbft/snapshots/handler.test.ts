import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AppHead } from '../../../app/application.ts'
import { createSnapshot } from '../../../app/snapshot/create.ts'
import { keccak256 } from '../../../base/crypto.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { LmdbEnvironment } from '../../../base/lmdb.ts'
import { createLogger } from '../../../base/log.ts'
import { createDevGenesis, type DevGenesisOptions } from '../../../chain/genesis/devGenesis.ts'
import { createAppService } from '../../../node/application/service.ts'
import { BlockStoreReader } from '../../../store/blockStoreReader.ts'
import { fromChunkMessage } from '../../application.ts'
import type { AbciRequest, AbciResponse } from '../abci/messages.ts'
import { createSnapshotHandler } from './handler.ts'
import { SnapshotService } from './snapshotService.ts'

const genesis: DevGenesisOptions = {
  chainId: 31_337n,
  accounts: [{ address: new Uint8Array(20).fill(7), balance: 10n ** 20n }],
  coinbase: new Uint8Array(20),
  timestamp: 100n,
}
const log = createLogger('silent')
const height = 3

type Service = Awaited<ReturnType<typeof createAppService>>

describe('the snapshot calls of the engine', () => {
  let folder: string
  const services: Service[] = []
  let snapshots: SnapshotService
  let environment: LmdbEnvironment
  let offered: AbciRequest<'offerSnapshot'>
  let chunks: Uint8Array[]
  const heads: number[] = []

  const openService = async (name: string): Promise<Service> => {
    const service = await createAppService({
      path: join(folder, name),
      pruning: 'archive',
      appearances: true,
      makesBlocks: true,
      genesis: { kind: 'dev', options: genesis },
    })
    services.push(service)
    return service
  }

  const callsOf = (service: Service) =>
    createSnapshotHandler({
      app: {
        offerSnapshot: async (offer) => service.offerSnapshot(offer),
        applyChunk: async (index, chunk) => fromChunkMessage(await service.applyChunk(index, chunk)),
      },
      snapshots,
      onSnapshotRestored: ({ header }: AppHead) => heads.push(Number(header.number)),
      log,
    })

  const apply = async (
    calls: ReturnType<typeof callsOf>,
    index: number,
    chunk: Uint8Array,
  ): Promise<AbciResponse<'applySnapshotChunk'>> =>
    (await calls.applySnapshotChunk({
      index,
      chunk,
      sender: 'peer',
    } as never)) as AbciResponse<'applySnapshotChunk'>

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-calls-'))
    const source = await openService('source.mdb')
    for (let number = 1; number <= height; number++) {
      const engineHash = keccak256(Uint8Array.of(number))
      source.finalizeDecided({ height: number, time: BigInt(100 + number), engineHash, entries: [] })
      await source.commitDecided()
    }
    const path = join(folder, 'source.mdb')
    environment = new LmdbEnvironment({ path, readOnly: true })
    const made = join(folder, 'snapshots')
    const { config } = createDevGenesis(genesis)
    await createSnapshot(environment, config, { folder: made, height, chunkBytes: 500 })
    const blocks = new BlockStoreReader(environment)
    snapshots = new SnapshotService({ folder: made, path, interval: 0, keep: 1 }, { blocks, log })
    const calls = callsOf(source)
    const { snapshots: listed } = (await calls.listSnapshots({} as never)) as AbciResponse<'listSnapshots'>
    const appHash = blocks.blockHashAt(height)
    offered = { snapshot: listed?.[0], appHash } as AbciRequest<'offerSnapshot'>
    chunks = []
    for (let chunk = 0; chunk < (offered.snapshot?.chunks ?? 0); chunk++) {
      const asked = { height: BigInt(height), format: 1, chunk } as AbciRequest<'loadSnapshotChunk'>
      const answer = (await calls.loadSnapshotChunk(asked)) as AbciResponse<'loadSnapshotChunk'>
      chunks.push(answer.chunk as Uint8Array)
    }
  }, 60_000)
  afterAll(async () => {
    await environment.close()
    for (const service of services) await service.close()
    rmSync(folder, { recursive: true })
  })

  it('lists and serves what was made, and an empty chunk for what is not there', async () => {
    expect(chunks.length).toBeGreaterThan(2)
    const calls = callsOf(await openService('empty.mdb'))
    const asked = { height: 99n, format: 1, chunk: 0 } as AbciRequest<'loadSnapshotChunk'>
    expect(await calls.loadSnapshotChunk(asked)).toEqual({ chunk: new Uint8Array(0) })
  })

  it('restores, and asks again for a chunk that is wrong, of somebody else', async () => {
    const service = await openService('good.mdb')
    const calls = callsOf(service)
    expect(await calls.offerSnapshot(offered)).toEqual({ result: 1 })
    for (const [index, chunk] of chunks.entries()) {
      const wrong = Uint8Array.from(chunk)
      wrong[0] = (wrong[0] as number) ^ 1
      expect(await apply(calls, index, wrong)).toEqual({
        result: 3,
        refetchChunks: [index],
        rejectSenders: ['peer'],
      })
      expect(await apply(calls, index, chunk)).toEqual({ result: 1 })
    }
    expect(heads.at(-1)).toBe(height)
    expect(toHex(service.opened().hash)).toBe(toHex(offered.appHash))
    // Nothing is under way any more, and another is taken: no block has come since.
    expect((await apply(calls, 0, chunks[0] as Uint8Array)).result).toBe(2)
    expect(await calls.offerSnapshot(offered)).toEqual({ result: 1 })
    const engineHash = new Uint8Array(32)
    service.finalizeDecided({ height: height + 1, time: 200n, engineHash, entries: [] })
    await service.commitDecided()
    expect(await calls.offerSnapshot(offered)).toEqual({ result: 2 })
  })

  it('rejects a snapshot whose chunks are as named and yet wrong, with its sender, and is as before', async () => {
    const service = await openService('liar.mdb')
    const calls = callsOf(service)
    const forged = chunks.map((chunk, index) => {
      if (index !== chunks.length - 1) return chunk
      const changed = Uint8Array.from(chunk)
      changed[changed.length - 1] = (changed.at(-1) as number) ^ 1
      return changed
    })
    const { snapshot } = offered
    if (snapshot === undefined) throw new Error('nothing is offered')
    const hashes = Buffer.concat(forged.map(keccak256))
    const metadata = Buffer.from(snapshot.metadata)
    // The hashes are the last part of it.
    hashes.copy(metadata, metadata.length - hashes.length)
    const offer = { ...offered, snapshot: { ...snapshot, metadata, hash: keccak256(metadata) } }
    expect(await calls.offerSnapshot(offer)).toEqual({ result: 1 })
    for (const [index, chunk] of forged.slice(0, -1).entries())
      expect(await apply(calls, index, chunk)).toEqual({ result: 1 })
    expect(await apply(calls, forged.length - 1, forged.at(-1) as Uint8Array)).toEqual({
      result: 5,
      rejectSenders: ['peer'],
    })
    expect(heads.at(-1)).toBe(0)
    expect(await calls.offerSnapshot({ ...offered, appHash: new Uint8Array(32) })).toEqual({ result: 5 })
    expect(await calls.offerSnapshot({ ...offered, snapshot: { ...snapshot, format: 2 } })).toEqual({
      result: 4,
    })
    expect(await calls.offerSnapshot(offered)).toEqual({ result: 1 })
  })
})
