import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { LmdbEnvironment } from '../../../src/base/lmdb.ts'
import { type ExportedBlocks, exportBlocks } from '../../../src/gateway/replicas/bootstrap/exportBlocks.ts'
import { findFault, type PeerCall } from '../../../src/gateway/replicas/peerCall.ts'
import { BlockStoreReader } from '../../../src/store/blockStoreReader.ts'
import { StoreCheck } from '../../../src/store/check.ts'
import { NativeBlockReader } from '../../../src/store/nativeRows.ts'
import { testSome } from '../../support/slow.ts'
import { Opened } from '../follow/harness.ts'
import { SyntheticChain } from '../replay/synthetic.ts'

const token = 'the secret of the replicas'
const opened = new Opened()
afterEach(() => opened.closeAll())

const createChain = (length: number): SyntheticChain =>
  new SyntheticChain({ family: 'cosmos-evm-0.7', length })

type Change = (piece: ExportedBlocks) => ExportedBlocks | undefined

/** Serves the store of a file as a replica does, in pieces of a few blocks; `change` may spoil a piece, or refuse it. */
const serveStore = async (path: string, change: Change): Promise<{ url: string; asked: number[] }> => {
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
    const piece = change({ ...whole, blocks: whole.blocks.slice(0, 7) })
    if (piece === undefined) return void response.destroy()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: piece }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.add({
    close: async () => {
      server.closeAllConnections()
      server.close()
      await environment.close()
    },
  })
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, asked }
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

test('the store of another replica is taken in pieces, row for row, from where it ended', async () => {
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

const spoil = (piece: ExportedBlocks, change: (text: string) => string): ExportedBlocks => ({
  ...piece,
  blocks: piece.blocks.map((block) => {
    const changed = change(JSON.stringify(block))
    return JSON.parse(changed) as typeof block
  }),
})

const lies: readonly (readonly [string, Change])[] = [
  [
    'another status in receipts',
    (piece) => spoil(piece, (text) => text.replaceAll('\\"0x1\\"', '\\"0x0\\"')),
  ],
  ['a block that is left out', (piece) => ({ ...piece, blocks: piece.blocks.slice(1) })],
  ['blocks of another chain', (piece) => ({ ...piece, chain: 'other-1' })],
  [
    'a native hash that no node has',
    (piece) => ({
      ...piece,
      blocks: piece.blocks.map((block) => ({
        ...block,
        ...(block.native && { native: { ...block.native, hash: Buffer.alloc(32, 7).toString('base64') } }),
      })),
    }),
  ],
]

testSome(1, lies)('%s is not taken, and the nodes are asked instead', async (_, change) => {
  const { path, chain } = await makeStore()
  const node = await opened.serve({ chain })
  const { url } = await serveStore(path, change)
  const taken = opened.folder()
  const following = await opened.follow(chain, [node], {
    path: taken,
    bootstrap: { url, token, replica: 2 },
  })
  await following.until(40)
  await following.close()
  expect(following.logs.join()).toContain('another replica is not begun with')
  expect(following.quarantined).toEqual([])
  await expectSameStores(path, taken)
})
