import { statSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import { encodeBlockFile } from '../../../src/gateway/snapshot/blockFile.ts'
import { type ExportedPiece, exportPiece } from '../../../src/gateway/snapshot/exportedBlock.ts'
import { StoreExport } from '../../../src/gateway/snapshot/exportStore.ts'
import { BlockStoreReader } from '../../../src/store/blockStoreReader.ts'
import { StoreCheck } from '../../../src/store/check/storeCheck.ts'
import { NativeBlockReader } from '../../../src/store/nativeRows.ts'
import { eventually } from '../../support/eventually.ts'
import { slow, testSome } from '../../support/slow.ts'
import { Opened } from '../follow/harness.ts'
import { SyntheticChain } from '../replay/synthetic.ts'

const opened = new Opened()
afterEach(() => opened.closeAll())

const length = 40
const notBegun = 'the snapshot is not begun with'

const createChain = (): SyntheticChain => new SyntheticChain({ family: 'cosmos-evm-0.7', length })

/** A store that was followed from a node that has everything. */
const makeStore = async (): Promise<{ path: string; chain: SyntheticChain }> => {
  const chain = createChain()
  const node = await opened.serve({ chain })
  const path = opened.folder()
  const first = await opened.follow(chain, [node], { path })
  await first.until(length)
  await first.close()
  return { path, chain }
}

type Change = (piece: ExportedPiece) => unknown

/** Returns the bytes of a snapshot of a store in pieces of a few blocks, which `change` may spoil. */
const encodeSnapshot = async (
  path: string,
  change: Change = (piece) => piece,
  chain = 'replay-1',
): Promise<Buffer> => {
  const environment = new LmdbEnvironment({ path, readOnly: true })
  const source = { blocks: new BlockStoreReader(environment), native: new NativeBlockReader(environment) }
  const pieces: unknown[] = []
  for (let first = 1; first <= length; first += 7)
    pieces.push(change(exportPiece(source, first, Math.min(length, first + 6))))
  const parts: Uint8Array[] = []
  const content = { chain, first: 1, head: length }
  for await (const part of encodeBlockFile(content, pieces as ExportedPiece[])) parts.push(part)
  await environment.close()
  return Buffer.concat(parts)
}

/** Writes a snapshot beside nothing else. */
const writeSnapshot = (bytes: Uint8Array): string => {
  const file = join(dirname(opened.folder()), 'snapshot')
  writeFileSync(file, bytes)
  return file
}

const serve = async (listener: RequestListener): Promise<{ url: string; server: Server }> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.add({
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/snapshot?key=s3cret`,
    server,
  }
}

const expectSameStores = async (one: string, other: string): Promise<void> => {
  const environments = [one, other].map((path) => new LmdbEnvironment({ path, readOnly: true }))
  const stores = environments.map((environment) => new BlockStoreReader(environment))
  for (let number = 1; number <= length; number++) {
    const [rows, others] = stores.map((store) => JSON.stringify(store.rows(number)))
    expect([number, others]).toEqual([number, rows])
  }
  for (const [index, environment] of environments.entries()) {
    const check = new StoreCheck(stores[index] as BlockStoreReader, environment)
    expect([...check.run()]).toEqual([])
    await environment.close()
  }
}

test('a store is written to a file, and one that begins with it is the same row for row', slow, async () => {
  const { path, chain } = await makeStore()
  const file = join(dirname(opened.folder()), 'snapshot')
  const exported = await StoreExport.open(path)
  expect(exported.content).toEqual({ chain: 'replay-1', first: 1, head: length })
  const steps: number[] = []
  await exported.write(file, (done) => steps.push(done))
  await exported.close()
  expect(steps.at(-1)).toBe(length)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const pruned = await opened.serve({ chain, faults: { prunedBelow: length - 1 } })
  const taken = opened.folder()
  const following = await opened.follow(chain, [pruned], { path: taken, bootstrap: file })
  await following.until(length)
  await following.close()
  expect(following.targets).toContain(length)
  await expectSameStores(path, taken)
})

test('a connection that breaks is made again for the rest of the file', slow, async () => {
  const { path, chain } = await makeStore()
  const bytes = await encodeSnapshot(path)
  const ranges: (string | undefined)[] = []
  const { url } = await serve((request, response) => {
    ranges.push(request.headers.range)
    const from = Number(/(\d+)/.exec(request.headers.range ?? '0')?.[1])
    const part = bytes.subarray(from, from + Math.ceil(bytes.length / 3))
    const headers = { etag: '"1"', 'content-length': bytes.length - from }
    const range = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }
    response.writeHead(from === 0 ? 200 : 206, from === 0 ? headers : { ...headers, ...range })
    response.write(part, () => (from + part.length < bytes.length ? response.destroy() : response.end()))
  })
  const pruned = await opened.serve({ chain, faults: { prunedBelow: length - 1 } })
  const taken = opened.folder()
  const following = await opened.follow(chain, [pruned], { path: taken, bootstrap: url })
  await following.until(length, 60_000)
  await following.close()
  expect(ranges.length).toBeGreaterThan(2)
  expect(new Set(ranges).size).toBe(ranges.length)
  await expectSameStores(path, taken)
})

test('after a failure it goes on where it was, if no node has added blocks', slow, async () => {
  const { path, chain } = await makeStore()
  const whole = await encodeSnapshot(path)
  const file = writeSnapshot(whole.subarray(0, Math.floor(whole.length * 0.6)))
  const [all, pruned] = [
    await opened.serve({ chain }),
    await opened.serve({ chain, faults: { prunedBelow: length - 1 } }),
  ]
  const [filled, stuck] = [opened.folder(), opened.folder()]
  let begun = 0
  for (const [own, node] of [
    [stuck, pruned],
    [filled, all],
  ] as const) {
    const first = await opened.follow(chain, [node], { path: own, bootstrap: file })
    await eventually(() => first.logs.join().includes(notBegun))
    expect(first.logs.join()).toContain('the snapshot is cut short')
    if (node === all) await first.until(length)
    else begun = first.heads.at(-1)?.number ?? 0
    await first.close()
  }
  expect(begun).toBeGreaterThan(0)
  expect(begun % 7).toBe(0)
  writeFileSync(file, whole)
  all.grow(2)
  const second = await opened.follow(chain, [all], { path: filled, bootstrap: file })
  await second.until(length + 2)
  await second.close()
  expect(second.logs.join()).toContain('gateway.bootstrap is not used')
  const third = await opened.follow(chain, [pruned], { path: stuck, bootstrap: file })
  await third.until(length)
  await third.close()
  expect(third.heads[0]?.number).toBeGreaterThan(begun)
})

type Block = ExportedPiece['blocks'][number]

const eachBlock =
  (change: (block: Block, index: number) => unknown): Change =>
  (piece) => ({ ...piece, blocks: piece.blocks.map(change) })

/** Expects that the nodes are asked instead, and that they are not blamed. */
const expectNodesAsked = async (
  chain: SyntheticChain,
  bootstrap: string,
  reason: string | RegExp,
): Promise<void> => {
  const node = await opened.serve({ chain })
  const following = await opened.follow(chain, [node], { path: opened.folder(), bootstrap })
  await following.until(length)
  await following.close()
  const told = following.logs.find((line) => line.includes(notBegun))
  expect(told).toMatch(reason)
  expect(following.logs.join()).not.toContain('s3cret')
  expect(following.quarantined).toEqual([])
}

test('nothing more is fetched of a snapshot that is given up, and no connection stays', slow, async () => {
  const { path, chain } = await makeStore()
  const spoiled = await encodeSnapshot(
    path,
    eachBlock((block) => ({ ...block, receipts: '[' })),
  )
  const { url, server } = await serve((_, response) => {
    response.writeHead(200)
    // And no end.
    response.write(spoiled.subarray(0, spoiled.length - 4))
  })
  await expectNodesAsked(chain, url, 'it is not a block')
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
  await eventually(async () => (await connections()) === 0)
})

const base64 = (byte: number): string => Buffer.alloc(32, byte).toString('base64')

const lies: readonly (readonly [string, Change])[] = [
  [
    'another status in receipts',
    eachBlock((block) => ({ ...block, receipts: block.receipts.replaceAll('"0x1"', '"0x0"') })),
  ],
  ['a block without its native one', eachBlock(({ native: _, ...block }) => block)],
  ['a block that is left out', (piece) => ({ ...piece, blocks: piece.blocks.slice(1) })],
  ['a piece of other blocks', (piece) => ({ ...piece, first: piece.first + 1 })],
  [
    'a native hash that no node has',
    eachBlock((block) => ({
      ...block,
      ...(block.native && { native: { ...block.native, hash: base64(7) } }),
    })),
  ],
  [
    'a block with the hash of another one',
    eachBlock((block, index) => (index === 6 ? { ...block, hash: base64(7) } : block)),
  ],
  [
    'the native block of another height',
    eachBlock((block) => ({
      ...block,
      ...(block.native && {
        native: { ...block.native, info: block.native.info.replace('"height":', '"height":1') },
      }),
    })),
  ],
  ['nothing', () => null],
  ['no list of blocks', (piece) => ({ ...piece, blocks: {} })],
  ['no blocks', (piece) => ({ ...piece, blocks: [] })],
  ['blocks that are nothing', eachBlock(() => null)],
  ['blocks that are not an RLP', eachBlock((block) => ({ ...block, block: base64(0xff) }))],
  ['receipts that are nothing', eachBlock((block) => ({ ...block, receipts: 'null' }))],
  [
    'native information that is nothing',
    eachBlock((block) => ({ ...block, native: { ...block.native, info: 'null' } })),
  ],
]

testSome(1, lies)('%s is not taken, and the nodes are asked instead', async (_, change) => {
  const { path, chain } = await makeStore()
  await expectNodesAsked(chain, writeSnapshot(await encodeSnapshot(path, change)), notBegun)
})

test('neither is what is not a snapshot of this chain', slow, async () => {
  const { path, chain } = await makeStore()
  const whole = await encodeSnapshot(path)
  const other = await encodeSnapshot(path, undefined, 'other-1')
  const file = writeSnapshot(other)
  await expectNodesAsked(chain, file, 'the snapshot is of chain other-1, not of replay-1')
  writeFileSync(file, '{"jsonrpc":"2.0"}')
  await expectNodesAsked(
    chain,
    file,
    'not a gateway snapshot: use a file that `perihelion snapshot export` wrote for a gateway',
  )
  const damaged = Buffer.from(whole)
  damaged.fill(0, 40, 80)
  writeFileSync(file, damaged)
  await expectNodesAsked(chain, file, /damaged|too long/)
})

test('a snapshot that is not there ends the start of a new home', slow, async () => {
  const chain = createChain()
  const node = await opened.serve({ chain })
  const { url } = await serve((_, response) => response.writeHead(404).end())
  for (const [bootstrap, reason] of [
    [join(opened.folder(), 'nothing'), 'ENOENT'],
    [url, 'status 404'],
  ] as const) {
    const following = await opened.follow(chain, [node], { path: opened.folder(), bootstrap })
    await eventually(() => following.failures.length > 0)
    expect(following.failures[0]?.message).toContain('the snapshot of gateway.bootstrap is not there')
    expect(following.failures[0]?.message).toContain(reason)
    expect(following.failures[0]?.message).not.toContain('s3cret')
    expect(following.heads).toEqual([])
    await following.close()
  }
})
