// Four validators under a mixed load through all of them, held to the same answers about every block:
// `npm run long -- networkLoad --minutes 10 --seed 1`.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createRandom } from '../support/random.ts'
import { Traffic } from '../support/traffic/traffic.ts'
import { createRpc, type Rpc } from '../support/verifier/rpc.ts'
import { Agreement } from './agreement.ts'
import { call, heightOf, postText, waitForHeight } from './asking.ts'
import { Wallet } from './ledger.ts'
import { type NetworkNode, startNetwork } from './testnet.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
})
const minutes = Number(values.minutes)
const seed = Number(values.seed)
/** Senders of mixed transactions, each with one under way. */
const lanes = 20
/** Development accounts that send their nonces out of order, through any node. */
const shufflers = [5, 6, 7, 8]
const burst = 5
const reportMs = 10_000
/** No transaction may be on its way for longer. */
const patienceMs = 120_000

const random = createRandom(seed)
const network = await startNetwork(4)
const { nodes } = network
const clients = nodes.map(({ http }) => createRpc(http))
const anyClient = (): Rpc => random.pick(clients)
const agreement = new Agreement(nodes)

/** Of every transaction that a node took. */
const sent = new Set<string>()
const byType = new Map<number, number>()
const outcomes = { succeeded: 0, failed: 0, created: 0 }
let finalChecks = 0

/** A pool takes one transaction at a time of an account with delegated code. */
const isForLater = ({ message }: Error): boolean => /delegated/.test(message)

const sendRaw = async (client: Rpc, raw: string): Promise<string> => {
  const until = Date.now() + patienceMs
  for (;;) {
    try {
      const hash = await client<string>('eth_sendRawTransaction', raw)
      assert.ok(!sent.has(hash), `${hash} was sent twice`)
      sent.add(hash)
      const first = Number.parseInt(raw.slice(2, 4), 16)
      const type = first < 0x80 ? first : 0
      byType.set(type, (byType.get(type) ?? 0) + 1)
      return hash
    } catch (error) {
      if (!isForLater(error as Error) || Date.now() > until) throw error
      await sleep(200)
    }
  }
}

interface Outcome {
  readonly status: string
  readonly contractAddress: string | null
}

/** Until any node shows it in a block. */
const included = async (hash: string): Promise<void> => {
  const until = Date.now() + patienceMs
  for (;;) {
    const receipt = await anyClient()<Outcome | null>('eth_getTransactionReceipt', hash)
    if (receipt !== null) {
      outcomes[receipt.status === '0x1' ? 'succeeded' : 'failed']++
      if (receipt.contractAddress !== null) outcomes.created++
      return
    }
    assert.ok(Date.now() < until, `${hash} is not in a block after ${patienceMs / 1000} s`)
    await sleep(150)
  }
}

/** One sender of mixed transactions. At first all goes through one node, so that the nonces of the bank are known there. */
const createLane = async (lane: number): Promise<Traffic> => {
  let client: () => Rpc = () => clients[0] as Rpc
  const rpc: Rpc = <T>(method: string, ...params: unknown[]) =>
    method === 'eth_sendRawTransaction'
      ? (sendRaw(client(), params[0] as string) as Promise<T>)
      : client()<T>(method, ...params)
  const traffic = new Traffic(rpc, seed * 1000 + lane, 1)
  await traffic.setUp()
  client = anyClient
  return traffic
}

const mix = async (traffic: Traffic, end: number): Promise<void> => {
  while (Date.now() < end) await included(await traffic.send())
}

const shuffle = async (wallet: Wallet, end: number): Promise<void> => {
  while (Date.now() < end) {
    const raws = await Promise.all(Array.from({ length: burst }, () => wallet.sign()))
    const order = raws.map((raw) => [random.fraction(), raw] as const).sort(([one], [other]) => one - other)
    const hashes: string[] = []
    for (const [, raw] of order) hashes.push(await sendRaw(anyClient(), raw))
    await Promise.all(hashes.map(included))
  }
}

/** What is newest is final: asked in between, so that no block comes unnoticed. */
const checkFinal = async ({ http }: NetworkNode): Promise<void> => {
  const tags = ['latest', 'finalized', 'safe', 'latest']
  const body = JSON.stringify(
    tags.map((tag, id) => ({ jsonrpc: '2.0', id, method: 'eth_getBlockByNumber', params: [tag, false] })),
  )
  const answers = JSON.parse(await postText(http, body)) as readonly { result: unknown }[]
  const [before, finalized, safe, after] = answers.map(({ result }) => JSON.stringify(result))
  if (before !== after) return
  assert.equal(finalized, before, 'finalized is not latest')
  assert.equal(safe, before, 'safe is not latest')
  finalChecks++
}

const check = async (isOver: () => boolean): Promise<void> => {
  do {
    await agreement.check()
    for (const node of nodes) await checkFinal(node)
    await sleep(500)
  } while (!isOver())
}

const report = async (end: number, isOver: () => boolean): Promise<void> => {
  while (!isOver()) {
    const left = Math.max(0, Math.round((end - Date.now()) / 1000))
    const height = await heightOf(nodes[0] as NetworkNode)
    console.log(
      `${left} s left, height ${height}, ${sent.size} sent, ${agreement.blocks} blocks and ${agreement.answers} answers compared`,
    )
    for (let waited = 0; waited < reportMs && !isOver(); waited += 500) await sleep(500)
  }
}

const typesText = (): string =>
  [...byType]
    .sort(([one], [other]) => one - other)
    .map(([type, count]) => `type ${type}: ${count}`)
    .join(', ')

try {
  console.log(`setting up ${lanes} senders`)
  const traffics: Traffic[] = []
  for (let lane = 0; lane < lanes; lane++) traffics.push(await createLane(lane))
  const wallets = shufflers.map((index) => new Wallet(index))
  const start = Date.now()
  const end = start + minutes * 60_000
  const before = sent.size
  let seconds = 0
  let isOver = false
  const load = Promise.all([
    ...traffics.map((traffic) => mix(traffic, end)),
    ...wallets.map((wallet) => shuffle(wallet, end)),
  ]).finally(() => {
    isOver = true
    seconds = (Date.now() - start) / 1000
  })
  await Promise.all([load, check(() => isOver), report(end, () => isOver)])
  const rate = ((sent.size - before) / seconds).toFixed(1)
  const head = await heightOf(nodes[0] as NetworkNode)
  for (const node of nodes) await waitForHeight(node, head + 2)
  await agreement.check()
  assert.deepEqual(
    new Map([...agreement.included].sort()),
    new Map([...sent].sort().map((hash) => [hash, 1])),
    'what is in blocks is not what was sent, each once',
  )
  assert.deepEqual(await call(nodes[0] as NetworkNode, 'txpool_status'), { pending: '0x0', queued: '0x0' })
  console.log(
    `4 validators, seed ${seed}, ${minutes} min: ${sent.size} transactions (${typesText()}; ${outcomes.succeeded} ok, ${outcomes.failed} failed, ` +
      `${outcomes.created} contracts), each in one block; ${agreement.blocks} blocks, ${agreement.answers} answers and every AppHash the same on all; ` +
      `latest = finalized ${finalChecks} times; ${rate} tx/s`,
  )
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await network.stop()
}
