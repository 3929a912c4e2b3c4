import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proposeEntries } from '../../../test/support/proposals.ts'
import { addressOf, createCandidate, testChainId } from '../../../test/support/signedCandidates.ts'
import { slow } from '../../../test/support/slow.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { decodeRlp, encodeRlp, type RlpInput } from '../../base/encoding/rlp.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { createDevGenesis } from '../../chain/genesis/devGenesis.ts'
import { contractAddress } from '../../chain/transaction/contractAddress.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { createEvm } from '../../evm/evm.ts'
import { loadEvmModules } from '../../evm/host/evmModules.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { checkState } from '../../state/check/stateCheck.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { StoreCheck } from '../../store/check/storeCheck.ts'
import { Application } from '../application.ts'
import { createSnapshot } from './create.ts'
import { loadChunk, loadSnapshots, type StoredSnapshot } from './folder.ts'
import { encodeMetadata, type SnapshotMetadata } from './metadata.ts'
import {
  evaluateOffer,
  isRestoreInterrupted,
  resetToGenesis,
  type SnapshotOffer,
  type SnapshotRestorer,
} from './restore.ts'

const height = 262
const chunkBytes = 2_000
const modules = await loadEvmModules()
const genesis = createDevGenesis({
  chainId: testChainId,
  accounts: [0, 1].map((sender) => ({ address: addressOf(sender), balance: 10n ** 20n })),
  coinbase: new Uint8Array(20),
  timestamp: 100n,
})

const openChain = (path: string) => {
  const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
  const state = new StateStore(environment)
  const blocks = new BlockStore(environment)
  const evm = createEvm(modules, precompilesAt)
  const app = new Application(genesis.config, { environment, state, blocks, evm })
  return { environment, state, blocks, app }
}
type OpenChain = ReturnType<typeof openChain>

const addBlock = async ({ app }: OpenChain, candidates: readonly RecoveredTransaction[]): Promise<string> => {
  const next = Number(app.head?.header.number) + 1
  const time = BigInt(100 + next)
  const entries = proposeEntries(app, candidates, { time })
  const engineHash = keccak256(Uint8Array.of(next))
  app.finalizeDecided({ height: next, time, engineHash, entries })
  return toHex((await app.commit()).hash)
}

/** Fills 40 slots and leaves code that keeps the hash of the block 200 before, by number. */
const runtime = '60c8430340435500'
const creation = fromHex(
  `0x${Array.from({ length: 40 }, (_, at) => `60ff60${(at + 1).toString(16).padStart(2, '0')}55`).join('')}` +
    `60088060d36000396000f3${runtime}`,
)
const contract = contractAddress(addressOf(0), 0n)
const call = (nonce: bigint): RecoveredTransaction =>
  createCandidate(0, nonce, { to: contract, value: 0n, gasLimit: 100_000n })

let folder: string
let chain: OpenChain
let snapshot: StoredSnapshot

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-snapshot-'))
  chain = openChain(join(folder, 'chain.mdb'))
  await chain.app.initChain(genesis)
  await addBlock(chain, [
    createCandidate(0, 0n, { to: undefined, value: 0n, gasLimit: 2_000_000n, data: creation }),
  ])
  for (let number = 2; number < height; number++)
    await addBlock(chain, [
      createCandidate(1, BigInt(number - 2), { to: keccak256(Uint8Array.of(number)).slice(12) }),
    ])
  await addBlock(chain, [call(1n), createCandidate(1, 260n)])
  await createSnapshot(chain.environment, genesis.config, {
    folder: join(folder, 'made'),
    height,
    chunkBytes,
  })
  const [found] = loadSnapshots(join(folder, 'made'))
  if (found === undefined) throw new Error('no snapshot was made')
  snapshot = found
})

afterAll(async () => {
  await chain.environment.close()
  rmSync(folder, { recursive: true })
})

const offerOf = (changed: Partial<SnapshotMetadata> = {}): SnapshotOffer => {
  const metadata = encodeMetadata({ ...snapshot.metadata, ...changed })
  const chunks = (changed.chunks ?? snapshot.metadata.chunks).length
  const appHash = chain.blocks.blockHashAt(height) as Uint8Array
  return { height, format: 1, chunks, hash: keccak256(metadata), metadata, appHash }
}

const allChunks = async (): Promise<Uint8Array[]> => {
  const chunks: Uint8Array[] = []
  for (const index of snapshot.ends.keys())
    chunks.push((await loadChunk(join(folder, 'made'), snapshot, index)) as Uint8Array)
  return chunks
}

const take = async (restore: SnapshotRestorer, chunks: readonly Uint8Array[]): Promise<boolean> => {
  let isDone = false
  for (const [index, chunk] of chunks.entries()) {
    expect(restore.isNext(index, chunk)).toBe(true)
    isDone = await restore.add(chunk)
  }
  return isDone
}

const beginRestore = (target: OpenChain, offer: SnapshotOffer): SnapshotRestorer => {
  const considered = evaluateOffer(target, genesis.config, offer)
  if ('rejection' in considered) throw new Error(considered.reason)
  return considered.restore
}

const newTarget = async (name: string): Promise<OpenChain> => {
  const target = openChain(join(folder, name))
  await target.app.initChain(genesis)
  return target
}

const problems = ({ state, blocks, environment }: OpenChain): readonly string[] => [
  ...checkState(state, 10).problems,
  ...[...new StoreCheck(blocks, environment).run()].map(({ number, problem }) => `${number}: ${problem}`),
]

describe('a snapshot of a chain', () => {
  it('is the same wherever and whenever it is made', async () => {
    await createSnapshot(chain.environment, genesis.config, {
      folder: join(folder, 'again'),
      height,
      chunkBytes,
    })
    const [again] = loadSnapshots(join(folder, 'again'))
    expect(again).toEqual(snapshot)
    expect(snapshot.metadata.historyChunks).toBeGreaterThan(1)
    expect(snapshot.metadata.chunks.length - snapshot.metadata.historyChunks).toBeGreaterThan(3)
  })

  it('gives a node from which the chain goes on as everywhere', async () => {
    const target = await newTarget('good.mdb')
    const chunks = await allChunks()
    // Twice: the engine may have forgotten that it was restored.
    for (let round = 0; round < 2; round++)
      expect(await take(beginRestore(target, offerOf()), chunks)).toBe(true)
    const head = target.app.reload()
    expect(toHex(head.hash)).toBe(toHex(chain.blocks.blockHashAt(height) as Uint8Array))
    expect(problems(target)).toEqual([])
    for (const isFull of [true, false])
      expect(target.blocks.blockJson(height, isFull)).toEqual(chain.blocks.blockJson(height, isFull))
    expect(target.blocks.receiptsJson(height)).toEqual(chain.blocks.receiptsJson(height))
    expect(target.blocks.header(height - 255)).toBeDefined()
    expect(target.blocks.header(height - 256)).toBeUndefined()
    // What the next block reads: a hash from far back, slots and code.
    const next = [call(2n), createCandidate(1, 261n)]
    expect(await addBlock(target, next)).toBe(await addBlock(chain, next))
    expect(problems(target)).toEqual([])
    const slot = new Uint8Array(32)
    new DataView(slot.buffer).setUint16(30, height + 1)
    const kept = target.state.reader(height + 1).storage(contract, slot)
    expect(toHex(kept)).toBe(toHex(chain.blocks.blockHashAt(height + 1 - 200) as Uint8Array))
    expect(evaluateOffer(target, genesis.config, offerOf())).toMatchObject({ rejection: 'abort' })
    await target.environment.close()
  })

  it('is rejected where it is not of this chain or contradicts itself', async () => {
    const target = await newTarget('refused.mdb')
    const refusal = (offer: SnapshotOffer): string => {
      const considered = evaluateOffer(target, genesis.config, offer)
      return 'rejection' in considered ? considered.rejection : 'none'
    }
    const other = new Uint8Array(32).fill(1)
    expect(refusal(offerOf())).toBe('none')
    expect(refusal({ ...offerOf(), format: 2 })).toBe('format')
    expect(refusal(offerOf({ genesisHash: other }))).toBe('snapshot')
    expect(refusal(offerOf({ configHash: other }))).toBe('snapshot')
    expect(refusal(offerOf({ blockHash: other }))).toBe('sender')
    expect(refusal({ ...offerOf(), hash: other })).toBe('sender')
    expect(refusal({ ...offerOf(), chunks: 3 })).toBe('sender')
    expect(refusal({ ...offerOf(), metadata: other })).toBe('sender')
    expect(refusal(offerOf({ historyChunks: 0 }))).toBe('sender')
    await target.environment.close()
  })

  it('tells a chunk that is not its own', async () => {
    const target = await newTarget('chunk.mdb')
    const [first = new Uint8Array(), second = new Uint8Array()] = await allChunks()
    const restore = beginRestore(target, offerOf())
    expect(restore.isNext(0, second)).toBe(false)
    expect(restore.isNext(1, second)).toBe(false)
    expect(restore.isNext(0, first)).toBe(true)
    await target.environment.close()
  })

  it('is found wrong, whichever byte was changed by somebody who changed the hashes too', slow, async () => {
    const target = await newTarget('wrong.mdb')
    const chunks = await allChunks()
    const before = target.blocks.blockHashAt(0)
    let broken = 0
    for (const [index, chunk] of chunks.entries()) {
      for (const at of [0, 1, Math.floor(chunk.length / 3), Math.floor(chunk.length / 2), chunk.length - 1]) {
        const changed = Uint8Array.from(chunk)
        changed[at] = (changed[at] as number) ^ 0x10
        const forged = chunks.map((good, other) => (other === index ? changed : good))
        const restore = beginRestore(target, offerOf({ chunks: forged.map(keccak256) }))
        await expect(take(restore, forged), `chunk ${index} byte ${at}`).rejects.toThrow()
        if (isRestoreInterrupted(target)) {
          broken++
          await resetToGenesis(target, genesis)
        }
        expect(target.blocks.head()?.number).toBe(0)
        expect(target.blocks.blockHashAt(0)).toEqual(before)
      }
    }
    expect(broken).toBeGreaterThan(0)
    expect(problems(target)).toEqual([])
    expect(await take(beginRestore(target, offerOf()), chunks)).toBe(true)
    await target.environment.close()
    // Many restores, each synced: on a busy machine they take their time.
  })

  it('is found wrong where its history is that of another chain, shorter, or has a header too few', async () => {
    const target = await newTarget('history.mdb')
    const { historyChunks } = snapshot.metadata
    const chunks = await allChunks()
    const history = decodeRlp(Buffer.concat(chunks.slice(0, historyChunks))) as [
      RlpInput[],
      RlpInput,
      RlpInput,
    ]
    const [headers, block, receipts] = history
    const forgeries: RlpInput[] = [
      [headers.slice(1), block, receipts],
      [[...headers.slice(1), headers[0] as RlpInput], block, receipts],
      [headers, block, []],
      [[headers[0] as RlpInput, ...headers], block, receipts],
    ]
    for (const forgery of forgeries) {
      const forged = [encodeRlp(forgery), ...chunks.slice(historyChunks)]
      const restore = beginRestore(target, offerOf({ historyChunks: 1, chunks: forged.map(keccak256) }))
      await expect(take(restore, forged)).rejects.toThrow()
      // Nothing was given up for it.
      expect(target.state.head?.height).toBe(0)
    }
    await target.environment.close()
  })

  it('goes back to the first block where it was broken off', async () => {
    const chunks = await allChunks()
    const target = await newTarget('broken.mdb')
    await take(beginRestore(target, offerOf()), chunks.slice(0, -2))
    await target.environment.close()
    const again = openChain(join(folder, 'broken.mdb'))
    expect(isRestoreInterrupted(again)).toBe(true)
    await resetToGenesis(again, genesis)
    expect(problems(again)).toEqual([])
    expect(again.app.head?.header.number).toBe(0n)
    expect(await addBlock(again, [])).toMatch(/^0x/)
    await again.environment.close()
  })
})
