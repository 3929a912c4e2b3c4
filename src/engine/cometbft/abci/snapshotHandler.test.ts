import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../../../test/support/random.ts'
import type { AppHead } from '../../../app/appHead.ts'
import { createSnapshot } from '../../../app/snapshot/create.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { LmdbEnvironment } from '../../../base/lmdb/lmdb.ts'
import { createLogger } from '../../../base/logging/log.ts'
import { createDevGenesis, type DevGenesisOptions } from '../../../chain/genesis/devGenesis.ts'
import { createAppService } from '../../../node/application/service.ts'
import { BlockStoreReader } from '../../../store/blockStoreReader.ts'
import { fromChunkMessage } from '../../application.ts'
import { SnapshotService } from '../snapshots/snapshotService.ts'
import type { AbciRequest, AbciResponse } from './messages.ts'
import { createSnapshotHandler } from './snapshotHandler.ts'

const genesis: DevGenesisOptions = {
  chainId: 31_337n,
  accounts: [{ address: new Uint8Array(20).fill(7), balance: 10n ** 20n }],
  coinbase: new Uint8Array(20),
  timestamp: 100n,
}
const log = createLogger('silent')
const height = 3

type Service = Awaited<ReturnType<typeof createAppService>>

type OfferedSnapshot = NonNullable<AbciRequest<'offerSnapshot'>['snapshot']>

const forgeChunk = (chunk: Uint8Array): Uint8Array => {
  const changed = Uint8Array.from(chunk)
  changed[changed.length - 1] = (changed.at(-1) as number) ^ 1
  return changed
}

/** The snapshot with the hashes of other chunks; they are the last part of the metadata. */
const forgeSnapshot = (snapshot: OfferedSnapshot, chunks: readonly Uint8Array[]): OfferedSnapshot => {
  const hashes = Buffer.concat(chunks.map(keccak256))
  const metadata = Buffer.from(snapshot.metadata)
  hashes.copy(metadata, metadata.length - hashes.length)
  return { ...snapshot, metadata, hash: keccak256(metadata) }
}

interface SyncPeer {
  readonly id: string
  readonly offers: readonly { readonly snapshot: OfferedSnapshot; readonly chunks: readonly Uint8Array[] }[]
}

/**
 * What CometBFT's syncer does with the responses of the application: the highest snapshot first, chunks from any peer that
 * offers this very snapshot, and peers, snapshots and formats that are rejected are not used again.
 */
const syncAny = async (
  calls: ReturnType<typeof createSnapshotHandler>,
  peers: readonly SyncPeer[],
  appHash: Uint8Array,
  seed: number,
): Promise<{ isRestored: boolean; rejected: readonly string[] }> => {
  const random = createRandom(seed)
  const keyOf = ({ height, format, hash, metadata }: OfferedSnapshot): string =>
    [height, format, toHex(hash), toHex(metadata)].join()
  const rejectedPeers = new Set<string>()
  const rejectedSnapshots = new Set<string>()
  const rejectedFormats = new Set<number>()
  const live = () =>
    peers
      .filter(({ id }) => !rejectedPeers.has(id))
      .flatMap(({ id, offers }) => offers.map((offer) => ({ id, ...offer, key: keyOf(offer.snapshot) })))
      .filter(({ snapshot, key }) => !rejectedSnapshots.has(key) && !rejectedFormats.has(snapshot.format))
  const isOfHonest = (key: string): boolean =>
    live().some((offer) => offer.id === 'honest' && offer.key === key)
  const restore = async (key: string, count: number): Promise<'restored' | 'rejected' | 'no peers'> => {
    for (let index = 0; index < count; ) {
      const sources = live().filter((offer) => offer.key === key)
      const source = sources[random.below(sources.length)]
      if (source === undefined) return 'no peers'
      const chunk = source.chunks[index] as Uint8Array // each has as many as it says
      const request = { index, chunk, sender: source.id } as AbciRequest<'applySnapshotChunk'>
      const answer = (await calls.applySnapshotChunk(request)) as AbciResponse<'applySnapshotChunk'>
      for (const sender of answer.rejectSenders ?? []) rejectedPeers.add(sender)
      if (answer.result === 1) index++
      else if (answer.result === 5) return 'rejected'
      else expect(answer).toMatchObject({ result: 3, refetchChunks: [index] })
    }
    return 'restored'
  }
  for (;;) {
    const candidates = live().sort(
      (a, b) => Number(b.snapshot.height - a.snapshot.height) || b.snapshot.format - a.snapshot.format,
    )
    const top = candidates.filter(({ snapshot: { height, format } }) => {
      const best = candidates[0]?.snapshot
      return height === best?.height && format === best.format
    })
    // The good one last: the worst order for whoever restores.
    const forged = top.filter(({ id, key }) => id !== 'honest' && !isOfHonest(key))
    const chosen = (forged.length > 0 ? forged : top)[random.below((forged.length > 0 ? forged : top).length)]
    if (chosen === undefined) return { isRestored: false, rejected: [...rejectedPeers] }
    const { snapshot, key } = chosen
    // The light client knows no such block.
    if (snapshot.height !== BigInt(height)) {
      rejectedSnapshots.add(key)
      continue
    }
    const { result } = (await calls.offerSnapshot({
      snapshot,
      appHash,
    } as AbciRequest<'offerSnapshot'>)) as AbciResponse<'offerSnapshot'>
    if (result === 1) {
      const outcome = await restore(key, snapshot.chunks)
      if (outcome === 'restored') return { isRestored: true, rejected: [...rejectedPeers] }
      rejectedSnapshots.add(key)
    } else if (result === 3) rejectedSnapshots.add(key)
    else if (result === 4) rejectedFormats.add(snapshot.format)
    else for (const { id } of live().filter((offer) => offer.key === key)) rejectedPeers.add(id)
  }
}

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
      isEphemeral: false,
      pruning: 'archive',
      appearances: true,
      producesBlocks: true,
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
    sender = 'peer',
  ): Promise<AbciResponse<'applySnapshotChunk'>> =>
    (await calls.applySnapshotChunk({
      index,
      chunk,
      sender,
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
  })
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
      expect(await apply(calls, index, wrong, 'liar')).toEqual({ result: 3, refetchChunks: [index] })
      // Whoever lied is rejected as soon as somebody else is known to have it.
      const isLast = index === chunks.length - 1
      expect(await apply(calls, index, chunk)).toEqual(
        isLast ? { result: 1 } : { result: 1, rejectSenders: ['liar'] },
      )
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
    const { snapshot } = offered
    if (snapshot === undefined) throw new Error('nothing is offered')
    const forged = chunks.map((chunk, index) => (index === chunks.length - 1 ? forgeChunk(chunk) : chunk))
    const offer = { ...offered, snapshot: forgeSnapshot(snapshot, forged) }
    expect(await calls.offerSnapshot(offer)).toEqual({ result: 1 })
    for (const [index, chunk] of forged.slice(0, -1).entries())
      expect(await apply(calls, index, chunk, index === 0 ? 'first' : 'second')).toMatchObject({ result: 1 })
    // Whoever sent a part of it offered it.
    expect(await apply(calls, forged.length - 1, forged.at(-1) as Uint8Array, 'second')).toEqual({
      result: 5,
      rejectSenders: ['first', 'second'],
    })
    expect(heads.at(-1)).toBe(0)
    expect(await calls.offerSnapshot({ ...offered, appHash: new Uint8Array(32) })).toEqual({ result: 5 })
    expect(await calls.offerSnapshot({ ...offered, snapshot: { ...snapshot, format: 2 } })).toEqual({
      result: 4,
    })
    expect(await calls.offerSnapshot(offered)).toEqual({ result: 1 })
  })

  it.each([1, 2, 3, 4, 5])(
    'restores from one of four peers and names the three that lie, order %i',
    async (seed) => {
      const { snapshot } = offered
      if (snapshot === undefined) throw new Error('nothing is offered')
      const good = chunks
      const wrongBlock = Uint8Array.from(snapshot.metadata)
      wrongBlock[80] = (wrongBlock[80] as number) ^ 1
      const badState = good.map((chunk, index) => (index === good.length - 1 ? forgeChunk(chunk) : chunk))
      const badHistory = good.map((chunk, index) => (index === 0 ? forgeChunk(chunk) : chunk))
      const peers: readonly SyncPeer[] = [
        { id: 'honest', offers: [{ snapshot, chunks: good }] },
        // Two that offer the good one too, and send something else; all of them with forged ones of their own.
        {
          id: 'garbage',
          offers: [
            { snapshot, chunks: good.map(forgeChunk) },
            { snapshot: { ...snapshot, metadata: wrongBlock, hash: keccak256(wrongBlock) }, chunks: good },
            { snapshot: { ...snapshot, format: 7 }, chunks: good },
            { snapshot: { ...snapshot, height: 1000n }, chunks: good },
          ],
        },
        {
          id: 'state',
          offers: [
            { snapshot: forgeSnapshot(snapshot, badState), chunks: badState },
            { snapshot, chunks: badState },
            { snapshot: { ...snapshot, metadata: Uint8Array.of(1, 2, 3) }, chunks: [] },
          ],
        },
        { id: 'history', offers: [{ snapshot: forgeSnapshot(snapshot, badHistory), chunks: badHistory }] },
      ]
      const service = await openService(`synced${seed}.mdb`)
      const { isRestored, rejected } = await syncAny(callsOf(service), peers, offered.appHash, seed)
      expect(isRestored).toBe(true)
      expect(toHex(service.opened().hash)).toBe(toHex(offered.appHash))
      expect([...rejected].sort()).toEqual(['garbage', 'history', 'state'])
    },
  )

  it.each([1, 2, 3])(
    'restores a snapshot of which three of four peers send garbage, order %i',
    async (seed) => {
      const { snapshot } = offered
      if (snapshot === undefined) throw new Error('nothing is offered')
      const liars = ['one', 'two', 'three']
      const peers: readonly SyncPeer[] = [
        { id: 'honest', offers: [{ snapshot, chunks }] },
        ...liars.map((id) => ({ id, offers: [{ snapshot, chunks: chunks.map(forgeChunk) }] })),
      ]
      const service = await openService(`garbage${seed}.mdb`)
      const { isRestored, rejected } = await syncAny(callsOf(service), peers, offered.appHash, seed)
      expect(isRestored).toBe(true)
      expect(rejected).not.toContain('honest')
    },
  )

  it('gives up a snapshot if every peer that offers it sends garbage, and restores another', async () => {
    const { snapshot } = offered
    if (snapshot === undefined) throw new Error('nothing is offered')
    const calls = callsOf(await openService('nobody.mdb'))
    expect(await calls.offerSnapshot(offered)).toEqual({ result: 1 })
    const wrong = forgeChunk(chunks[0] as Uint8Array)
    const results: (number | undefined)[] = []
    for (let tries = 0; tries < 16; tries++)
      results.push((await apply(calls, 0, wrong, tries % 2 === 0 ? 'one' : 'two')).result as number)
    expect(results).toEqual([...Array.from({ length: 15 }, () => 3), 5])
    expect(await calls.offerSnapshot(offered)).toEqual({ result: 1 })
    expect((await apply(calls, 0, chunks[0] as Uint8Array)).result).toBe(1)
  })
})
