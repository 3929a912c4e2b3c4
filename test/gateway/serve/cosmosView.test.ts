import { rmSync } from 'node:fs'
import { keccak256, stringToBytes } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toHex, toQuantity } from '../../../src/base/encoding/hex.ts'
import { toBech32 } from '../../../src/chain/bech32.ts'
import { eventually } from '../../support/eventually.ts'
import { Subscriber } from '../../support/rpc/subscriber.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from './servedGateway.ts'

interface TellsResults {
  readonly txs_results?: Result[] | null
  readonly data?: { readonly value?: { readonly result_finalize_block?: { readonly tx_results: Result[] } } }
}
interface Result {
  gas_used: string
  readonly events: { readonly type: string; readonly attributes: readonly object[] }[]
}
interface Log {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: string
  readonly logIndex: string
  readonly transactionHash: string
  readonly removed: boolean
  readonly cosmos?: { readonly event: string; readonly denom?: string }
}
interface Found {
  readonly txs: readonly { readonly hash: string; readonly type: string; readonly blockNumber: string }[]
  readonly lastPage: boolean
}

const family = 'cosmos-evm-0.7'
const isCosmos = ({ events }: { readonly events: readonly { readonly type: string }[] }): boolean =>
  events.some(({ type }) => type === 'coin_spent')

/** The height of a block with a Cosmos transaction, before which there is another. */
const findHeight = (): number => {
  const chain = new SyntheticChain({ family, length: 120 })
  const heights = Array.from({ length: 115 }, (_, index) => index + 2).filter((height) =>
    chain.built(height)?.results.some(isCosmos),
  )
  return heights[2] as number
}

const [alice, bob] = [1, 2].map((byte) => new Uint8Array(20).fill(byte)) as [Uint8Array, Uint8Array]
const word = (address: Uint8Array): string => `0x${'00'.repeat(12)}${toHex(address).slice(2)}`
const bech32 = (bytes: Uint8Array): string => toBech32({ prefix: 'cosmos', bytes })
const token = `0x${keccak256(stringToBytes('cosmos:denomination:ibc/AB12')).slice(-40)}`

/** Gives each Cosmos transaction a transfer. Nothing of the next header covers events, so that it stays valid. */
const addTransfers = (results: readonly Result[], amount: number): void => {
  for (const { events } of results.filter(isCosmos))
    events.push({
      type: 'transfer',
      attributes: Object.entries({
        recipient: bech32(bob),
        sender: bech32(alice),
        amount: `${amount}ibc/AB12`,
      }).map(([key, value]) => ({ key, value, index: true })),
    })
}

/** Makes a node tell of transfers, and of one block, while it is the newest, another amount and more gas. */
const tellTransfers = (replay: Replay, wrongAt?: number): Promise<void> =>
  replay.setFaults({
    alter: (method, result, params) => {
      const { txs_results: asked, data } = result as TellsResults
      const isWrong = method === 'NewBlock' && params.height === String(wrongAt)
      const told = method === 'NewBlock' ? data?.value?.result_finalize_block?.tx_results : undefined
      for (const results of [asked, told]) if (results) addTransfers(results, isWrong ? 666 : 5)
      if (isWrong) for (const one of told ?? []) one.gas_used = String(Number(one.gas_used) + 1)
      return result
    },
  })

describe('a gateway with the Cosmos view', () => {
  const height = findHeight()
  const homes = [temporaryHome(), temporaryHome()] as const
  let nodes: readonly Replay[]
  let view: ServedGateway
  let plain: ServedGateway

  beforeAll(async () => {
    const start = () => startReplay({ chain: new SyntheticChain({ family, length: height - 1 }) })
    nodes = [await start(), await start()]
    for (const [index, node] of nodes.entries()) await tellTransfers(node, index === 0 ? height : undefined)
    const flags = [`--gateway.node=${nodes.map(({ url }) => url).join(',')}`]
    view = await serveGateway(homes[0], [...flags, '--gateway.cosmos-view=true'])
    plain = await serveGateway(homes[1], flags)
    for (const gateway of [view, plain]) await reach(gateway, height - 1)
  })
  afterAll(async () => {
    for (const opened of [view, plain, ...(nodes ?? [])]) await opened?.close()
    for (const home of homes) rmSync(home, { recursive: true, force: true })
  })

  const reach = (gateway: ServedGateway, number: number): Promise<void> =>
    eventually(async () => Number(await gateway.call('eth_blockNumber')) >= number)
  const everything = { fromBlock: 'earliest', toBlock: 'latest' }
  const getLogs = (gateway: ServedGateway, more: object): Promise<Log[]> =>
    gateway.call<Log[]>('eth_getLogs', { ...everything, ...more })

  test('finds transfers by denomination, sender and recipient', async () => {
    const all = (await getLogs(view, {})).filter(({ cosmos }) => cosmos?.denom === 'ibc/AB12')
    expect(all.length).toBeGreaterThan(1)
    for (const { data, address } of all) expect([BigInt(data), address]).toEqual([5n, token])
    expect(await getLogs(view, { address: token })).toEqual(all)
    expect(await getLogs(view, { topics: [null, word(alice)] })).toEqual(all)
    expect(await getLogs(view, { topics: [null, null, word(bob)] })).toEqual(all)
    expect(await getLogs(view, { topics: [null, word(bob)] })).toEqual([])
  })

  test('shows the activity of an address that has only Cosmos transactions, page by page', async () => {
    const logs = await getLogs(view, { address: token })
    const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))].reverse()
    const first = await view.call<Found>('ots_searchTransactionsBefore', toHex(bob), 0, 1)
    const rest = await view.call<Found>(
      'ots_searchTransactionsBefore',
      toHex(bob),
      Number(first.txs.at(-1)?.blockNumber),
      100,
    )
    const found = [...first.txs, ...rest.txs]
    // Those of one block are in their order behind each other, the newest block first.
    expect(found.map(({ hash }) => hash).sort()).toEqual(hashes.sort())
    expect([first.lastPage, rest.lastPage]).toEqual([false, true])
    expect(new Set(found.map(({ type }) => type))).toEqual(new Set(['0x9c']))
  })

  test('takes back what it told of a newest block that proves wrong, in subscriptions and filters', async () => {
    const client = await Subscriber.open(view.service.urls().ws ?? '')
    const subscription = await client.subscribe('logs', { address: token })
    const filter = await view.call<string>('eth_newFilter', { address: token })
    const plainClient = await Subscriber.open(plain.service.urls().ws ?? '')
    const plainLogs = await plainClient.subscribe('logs', {})
    for (const node of nodes) node.grow()
    await reach(view, height)
    await reach(plain, height)
    const wrong = await client.wait<Log>(subscription, 1)
    expect(wrong.map(({ data, removed }) => [BigInt(data), removed])).toContainEqual([666n, false])
    const told = await view.call<Log[]>('eth_getFilterChanges', filter)
    expect(told).toEqual(await getLogs(view, { address: token, fromBlock: toQuantity(height) }))
    const { length: plainCount } = await getLogs(plain, { fromBlock: toQuantity(height) })
    for (const node of nodes) node.grow()
    await reach(view, height + 1)
    await reach(plain, height + 1)
    const right = await getLogs(view, {
      address: token,
      fromBlock: toQuantity(height),
      toBlock: toQuantity(height),
    })
    expect(right.map(({ data }) => BigInt(data))).toEqual(told.map(() => 5n))
    const all = await client.wait<Log>(subscription, told.length * 3)
    const taken = told.map((log) => ({ ...log, removed: true }))
    expect(all.slice(0, told.length * 3)).toEqual([...told, ...taken, ...right])
    const changes = await view.call<Log[]>('eth_getFilterChanges', filter)
    expect(changes.slice(0, told.length * 2)).toEqual([...taken, ...right])
    // Without the view the same is told of Ethereum's logs alone.
    const plainTold = await plainClient.wait<Log>(plainLogs, plainCount * 3)
    expect(plainTold.filter(({ removed }) => removed)).toHaveLength(plainCount)
    client.close()
    plainClient.close()
  })

  test('shows nothing of it without the view', async () => {
    expect(await getLogs(plain, { address: token })).toEqual([])
    expect((await getLogs(plain, {})).filter(({ cosmos }) => cosmos !== undefined)).toEqual([])
    expect(await plain.call<Found>('ots_searchTransactionsBefore', toHex(bob), 0, 25)).toMatchObject({
      txs: [],
    })
    const [one, other] = [await getLogs(plain, {}), await getLogs(view, {})]
    expect(one).toEqual(other.filter(({ cosmos }) => cosmos === undefined))
  })
})
