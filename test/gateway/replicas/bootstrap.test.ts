import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import type { PeerAnswer, PeerCall } from '../../../src/chain/port/replicas.ts'
import { type ExportedBlocks, exportBlocks } from '../../../src/gateway/replicas/bootstrap/exportBlocks.ts'
import { findFault, signAnswer } from '../../../src/gateway/replicas/peerCall.ts'
import { BlockStoreReader } from '../../../src/store/blockStoreReader.ts'
import { StoreCheck } from '../../../src/store/check/storeCheck.ts'
import { NativeBlockReader } from '../../../src/store/nativeRows.ts'
import { eventually } from '../../support/eventually.ts'
import { slow, testSome } from '../../support/slow.ts'
import { Opened } from '../follow/harness.ts'
import { SyntheticChain } from '../replay/synthetic.ts'

const token = 'the secret of the replicas'
const opened = new Opened()
afterEach(() => opened.closeAll())

const createChain = (length: number): SyntheticChain =>
  new SyntheticChain({ family: 'cosmos-evm-0.7', length })

type Change = (piece: ExportedBlocks) => unknown

/** Serves the store of a file as a replica does, in pieces of a few blocks; `change` may spoil a piece, or refuse it. */
const serveStore = async (
  path: string,
  change: Change,
  answerTo = (call: PeerCall, answer: PeerAnswer): unknown => ({ result: signAnswer(token, call, answer) }),
): Promise<{ url: string; asked: number[]; connections: () => Promise<number> }> => {
  const environment = new LmdbEnvironment({ path, readOnly: true })
  const blocks = new BlockStoreReader(environment)
  const source = {
    chain: 'replay-1',
    blocks,
    native: new NativeBlockReader(environment),
    headNumber: () => blocks.head()?.number ?? 0,
  }
  const asked: number[] = []
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const [call] = (JSON.parse(body) as { params: [PeerCall] }).params
    expect(findFault(token, call, 1, Date.now())).toBeUndefined()
    const [, [from]] = JSON.parse(call.call) as [string, [number | null]]
    asked.push(from ?? 0)
    const whole = exportBlocks(source, from ?? undefined)
    const piece = await change({ ...whole, blocks: whole.blocks.slice(0, 7) })
    if (piece === undefined) return void response.destroy()
    response.writeHead(200, { 'content-type': 'application/json' })
    const answer = answerTo(call, { result: piece })
    response.end(
      typeof answer === 'string' ? answer : JSON.stringify({ jsonrpc: '2.0', id: 1, ...Object(answer) }),
    )
  })
  // Only the other side ends connections.
  server.keepAliveTimeout = 0
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.add({
    close: async () => {
      server.closeAllConnections()
      server.close()
      await environment.close()
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, asked, connections }
}

/** A store of 40 blocks, followed from a node that has all of them. */
const makeStore = async (): Promise<{ path: string; chain: SyntheticChain }> => {
  const chain = createChain(40)
  const node = await opened.serve({ chain })
  const path = opened.folder()
  const first = await opened.follow(chain, [node], { path })
  await first.until(40)
  await first.close()
  return { path, chain }
}

const expectSameStores = async (one: string, other: string): Promise<void> => {
  const environments = [one, other].map((path) => new LmdbEnvironment({ path, readOnly: true }))
  const stores = environments.map((environment) => new BlockStoreReader(environment))
  for (let number = 1; number <= 40; number++) {
    const [rows, others] = stores.map((store) => JSON.stringify(store.rows(number)))
    expect([number, others]).toEqual([number, rows])
  }
  for (const [index, environment] of environments.entries()) {
    const check = new StoreCheck(stores[index] as BlockStoreReader, environment)
    expect([...check.run()]).toEqual([])
    await environment.close()
  }
}

test('the store of another replica is taken in pieces, row for row, from where it ended', slow, async () => {
  const { path, chain } = await makeStore()
  const pruned = await opened.serve({ chain, faults: { prunedBelow: 39 } })
  const taken = opened.folder()
  let isBroken = true
  // The other replica goes away for good in the middle.
  const { url, asked } = await serveStore(path, (piece) => (isBroken && piece.first > 20 ? undefined : piece))
  const bootstrap = { url, token, replica: 2 }
  const first = await opened.follow(chain, [pruned], { path: taken, bootstrap })
  await first.until(21)
  await first.close()
  isBroken = false
  const second = await opened.follow(chain, [pruned], { path: taken, bootstrap })
  await second.until(40)
  await second.close()
  expect(asked.filter((from) => from === 0)).toHaveLength(1)
  expect(asked).toContain(22)
  await expectSameStores(path, taken)
})

test('after a failure it goes on only where no node has added blocks', slow, async () => {
  const { path, chain } = await makeStore()
  let isBroken = true
  const { url, asked } = await serveStore(path, (piece) => (isBroken && piece.first > 20 ? null : piece))
  const bootstrap = { url, token, replica: 2 }
  const [whole, pruned] = [
    await opened.serve({ chain }),
    await opened.serve({ chain, faults: { prunedBelow: 39 } }),
  ]
  const [filled, stuck] = [opened.folder(), opened.folder()]
  for (const [own, node, last] of [
    [filled, whole, 40],
    [stuck, pruned, 21],
  ] as const) {
    const first = await opened.follow(chain, [node], { path: own, bootstrap })
    await first.until(last)
    await eventually(() => first.logs.join().includes('another replica is not begun with'))
    await first.close()
  }
  isBroken = false
  asked.splice(0)
  whole.grow(2)
  const second = await opened.follow(chain, [whole], { path: filled, bootstrap })
  await second.until(42)
  await second.close()
  expect(asked).toEqual([])
  const third = await opened.follow(chain, [pruned], { path: stuck, bootstrap })
  await third.until(40)
  await third.close()
  expect(asked[0]).toBe(22)
})

test('a home that has blocks of nodes does not use it', async () => {
  const { path, chain } = await makeStore()
  const { url, asked } = await serveStore(path, (piece) => piece)
  const node = await opened.serve({ chain })
  const own = opened.folder()
  const first = await opened.follow(chain, [node], { path: own })
  await first.until(40)
  await first.close()
  node.grow(2)
  const second = await opened.follow(chain, [node], { path: own, bootstrap: { url, token, replica: 2 } })
  await second.until(42)
  await second.close()
  expect(asked).toEqual([])
  expect(second.logs.join()).toContain('gateway.bootstrap is not used')
})

type Block = ExportedBlocks['blocks'][number]

const eachBlock =
  (change: (block: Block, index: number) => unknown): Change =>
  (piece) => ({ ...piece, blocks: piece.blocks.map(change) })

test(
  'nothing more is fetched from a replica that is given up, and no connection to it stays',
  slow,
  async () => {
    const { path, chain } = await makeStore()
    const node = await opened.serve({ chain })
    const neverSent = new Promise(() => undefined)
    const spoil = eachBlock((block) => ({ ...block, receipts: '[' }))
    const { url, connections } = await serveStore(path, (piece) =>
      piece.first === 1 ? spoil(piece) : neverSent,
    )
    const bootstrap = { url, token, replica: 2 }
    const following = await opened.follow(chain, [node], { path: opened.folder(), bootstrap })
    await following.until(40)
    await eventually(async () => (await connections()) === 0)
  },
)

const base64 = (byte: number): string => Buffer.alloc(32, byte).toString('base64')

const lies: readonly (readonly [string, Change])[] = [
  [
    'another status in receipts',
    eachBlock((block) => ({ ...block, receipts: block.receipts.replaceAll('"0x1"', '"0x0"') })),
  ],
  ['a block without its native one', eachBlock(({ native: _, ...block }) => block)],
  ['a block that is left out', (piece) => ({ ...piece, blocks: piece.blocks.slice(1) })],
  ['blocks of another chain', (piece) => ({ ...piece, chain: 'other-1' })],
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
  ['blocks that are nothing', eachBlock(() => null)],
  ['blocks that are no RLP', eachBlock((block) => ({ ...block, block: base64(0xff) }))],
  ['receipts that are no JSON', eachBlock((block) => ({ ...block, receipts: '[' }))],
  ['receipts that are nothing', eachBlock((block) => ({ ...block, receipts: 'null' }))],
  [
    'native information that is nothing',
    eachBlock((block) => ({ ...block, native: { ...block.native, info: 'null' } })),
  ],
]

const expectNodesAsked = async (
  change: Change,
  answerTo?: Parameters<typeof serveStore>[2],
): Promise<void> => {
  const { path, chain } = await makeStore()
  const node = await opened.serve({ chain })
  const { url } = await serveStore(path, change, answerTo)
  const taken = opened.folder()
  const following = await opened.follow(chain, [node], {
    path: taken,
    bootstrap: { url, token, replica: 2 },
  })
  await following.until(40)
  await following.close()
  expect(following.logs.join()).toContain('another replica is not begun with')
  // It is asked without its number.
  expect(following.logs.join()).not.toContain('replica 0')
  expect(following.quarantined).toEqual([])
  await expectSameStores(path, taken)
}

testSome(1, lies)('%s is not taken, and the nodes are asked instead', (_, change) => expectNodesAsked(change))

const forgeries: readonly (readonly [string, NonNullable<Parameters<typeof serveStore>[2]>])[] = [
  ['refuses', () => ({ error: { code: 4100, message: 'unauthorized' } })],
  ['answers without a signature', (_, answer) => answer],
  ['signs with another token', (call, answer) => ({ result: signAnswer('another token', call, answer) })],
  [
    'answers another call',
    (call, answer) => ({ result: signAnswer(token, { ...call, mac: '00'.repeat(32) }, answer) }),
  ],
  ['answers no JSON', () => '{'],
]

testSome(1, forgeries)('whoever %s is not believed, and the nodes are asked instead', (_, answerTo) =>
  expectNodesAsked((piece) => piece, answerTo),
)
