import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom } from '../support/random.ts'
import { describeNetwork } from './describeNetwork.ts'
import { KillSender } from './killLoad.ts'
import { heightOf, waitForHeight } from './rpcHelpers.ts'
import { killNode, type Network, type NetworkNode, restartNode, startHomes, writeHomes } from './testnet.ts'

const rounds = Number(process.env.KILL_ROUNDS ?? 3)
const seed = Number(process.env.SEED ?? 1)
const senderCount = 6
/** How long the chain may make no progress at the end before the rest counts as stuck. */
const patienceMs = 120_000

/** Less room than six senders fill, so that price decides who has to leave, also at a restart. */
const pools: Readonly<Record<string, number>> = { 'global-slots': 48, 'account-slots': 4, 'global-queue': 48 }

const narrow = (home: string): void => {
  const file = join(home, 'config', 'app.toml')
  let text = readFileSync(file, 'utf8')
  for (const [name, value] of Object.entries(pools))
    text = text.replace(new RegExp(`^${name} = .*$`, 'm'), `${name} = ${value}`)
  writeFileSync(file, text)
}

describeNetwork('four validators with small pools, killed again and again', () => {
  const random = createRandom(seed)
  let network: Network

  beforeAll(async () => {
    const { folder, homes } = await writeHomes(4)
    homes.forEach(narrow)
    network = await startHomes(folder, homes)
  }, 240_000)
  afterAll(() => network?.stop())

  /** Kills one node, or two so that the chain halts, and brings them back after a while. */
  const killSome = async (): Promise<void> => {
    const order = network.nodes.map((node) => [random.fraction(), node] as const).sort(([a], [b]) => a - b)
    const victims = order.slice(0, random.chance(0.5) ? 1 : 2).map(([, node]) => node)
    for (const victim of victims) {
      killNode(victim)
      await sleep(random.below(300))
    }
    await sleep(random.below(1000))
    await Promise.all(victims.map(restartNode))
  }

  /** Waits until the chain has used all nonces, or uses no more of them. */
  const settle = async (senders: readonly KillSender[]): Promise<void> => {
    const nextNonces = (): Promise<readonly number[]> =>
      Promise.all(senders.map((sender) => sender.chainNonce()))
    let before = ''
    for (let since = Date.now(); Date.now() - since < patienceMs; await sleep(200)) {
      const nonces = await nextNonces()
      if (senders.every((sender, index) => nonces[index] === sender.sent)) return
      if (`${nonces}` === before) continue
      before = `${nonces}`
      since = Date.now()
    }
  }

  it(`${rounds} rounds: what was acknowledged is executed, and no sender stands still`, {
    timeout: 600_000 + rounds * 60_000,
  }, async () => {
    const { nodes } = network
    const stop = new AbortController()
    const senders = Array.from(
      { length: senderCount },
      (_, index) => new KillSender(index, createRandom(seed * 1000 + index), nodes),
    )
    const sending = Promise.all(senders.map((sender) => sender.run(stop.signal)))
    const sum = (of: (sender: KillSender) => number): number =>
      senders.reduce((total, sender) => total + of(sender), 0)
    for (let round = 1; round <= rounds; round++) {
      await killSome()
      const height = await heightOf(nodes[0] as NetworkNode)
      await Promise.all(nodes.map((node) => waitForHeight(node, height + 2)))
      if (round % 10 === 0)
        console.log(
          `round ${round}: height ${height}, ${sum(({ acknowledged }) => acknowledged.size)} acknowledged`,
        )
    }
    stop.abort()
    // Each nonce that was signed is sent until a node has it.
    await sending
    await settle(senders)
    const standings = await Promise.all(senders.map((sender) => sender.standing()))
    const acknowledged = sum((sender) => sender.acknowledged.size)
    const figures = {
      acknowledged,
      executed: acknowledged - standings.reduce((total, { open }) => total + open.length, 0),
      lost: standings.reduce((total, { lost }) => total + lost.length, 0),
      stuckSenders: standings.filter(({ isStuck }) => isStuck).length,
      unfinishedSenders: standings.filter(({ isDone }) => !isDone).length,
      refused: sum(({ refused }) => refused),
    }
    console.log(`${rounds} rounds from seed ${seed}:`, figures)
    expect(figures).toMatchObject({ executed: acknowledged, lost: 0, stuckSenders: 0, unfinishedSenders: 0 })
  })
})
