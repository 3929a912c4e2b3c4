import { readFileSync } from 'node:fs'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeNetwork } from './describeNetwork.ts'
import { callHome, createHomes, HomeProcess, type Homes, headOf, until } from './homeProcess.ts'
import { devKey } from './ledger.ts'
import { receiptOf, TransferLoad } from './transfers.ts'

/** How many transactions nobody can include are sent to one node, and how many ordinary ones after them. */
const count = Number(process.env.RELAY_TRANSACTIONS ?? 200)
const ordinary = 10
/** How many blocks each part of the measurement lasts. */
const blocks = Number(process.env.RELAY_BLOCKS ?? 30)
/** Nearly as long as the pool takes, in zero bytes, which are cheap to sign. */
const data: `0x${string}` = `0x${'00'.repeat(130_000)}`

interface Figures {
  readonly blockIntervalMs: number
  readonly readMedianMs: number
  readonly readWorstMs: number
  /** Of the four nodes together, in MiB. */
  readonly residentMiB: number
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

describeNetwork('two hundred transactions that no block can hold, sent to one of four validators', () => {
  let homes: Homes
  let nodes: HomeProcess[]
  const transfers = new TransferLoad(1)
  const spammer = privateKeyToAccount(devKey(0))

  const nodeAt = (index: number): HomeProcess => nodes[index] as HomeProcess // four were started

  beforeAll(async () => {
    homes = createHomes(4, 500)
    nodes = homes.homes.map((home) => new HomeProcess(home))
    await Promise.all(nodes.map((node) => node.ready()))
    await until('the chain runs', async () => (await headOf(nodeAt(1))) > 3)
  }, 240_000)
  afterAll(async () => homes?.remove())

  /** Reads from the first node, one read after the other, while `blocks` blocks are made. */
  const measure = async (): Promise<Figures> => {
    const first = await headOf(nodeAt(1))
    const startedAt = performance.now()
    const reads: number[] = []
    let resident = 0
    let height = first
    while (height < first + blocks) {
      const readAt = performance.now()
      await callHome(nodeAt(0), 'eth_getBalance', spammer.address, 'latest')
      reads.push(performance.now() - readAt)
      resident = Math.max(
        resident,
        nodes.reduce((sum, { pid }) => sum + residentMiB(pid), 0),
      )
      height = await headOf(nodeAt(1))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return {
      blockIntervalMs: Math.round((performance.now() - startedAt) / (height - first)),
      readMedianMs: Math.round(median(reads) * 10) / 10,
      readWorstMs: Math.round(Math.max(...reads)),
      residentMiB: Math.round(resident),
    }
  }

  /** Sends ordinary transactions to the first node; every one has to be seen by the others. */
  const expectRelayed = async (): Promise<void> => {
    const hashes: string[] = []
    for (let index = 0; index < ordinary; index++) hashes.push(await transfers.send(nodeAt(0)))
    for (const hash of hashes) await receiptOf(nodeAt(2), hash)
  }

  it('leaves its relay, its reads and the blocks as they were', { timeout: 600_000 }, async () => {
    await expectRelayed()
    const before = await measure()
    for (let nonce = 0; nonce < count; nonce++) {
      const raw = await spammer.signTransaction({
        chainId: 31_337,
        type: 'eip1559',
        nonce,
        to: spammer.address,
        data,
        gas: 2_000_000n,
        maxFeePerGas: 1n,
        maxPriorityFeePerGas: 1n,
      })
      await callHome(nodeAt(0), 'eth_sendRawTransaction', raw)
    }
    const during = await measure()
    console.table({ before, during })
    await expectRelayed()
    expect(await callHome(nodeAt(0), 'txpool_status')).toMatchObject({
      pending: `0x${count.toString(16)}`,
    })
    expect(await callHome(nodeAt(1), 'txpool_status')).toMatchObject({ pending: '0x0' })
    const metrics = await (await fetch(new URL('/metrics', nodeAt(0).http))).text()
    expect(metrics).toContain(`perihelion_relay_transactions{state="held"} ${count}`)
    expect(metrics).toContain('perihelion_relay_transactions{state="waiting"} 0')
  })

  it('and after a restart, which brings them back', { timeout: 600_000 }, async () => {
    await nodeAt(0).stop()
    nodes[0] = await new HomeProcess(nodeAt(0).home).ready()
    expect(await callHome(nodeAt(0), 'txpool_status')).toMatchObject({
      pending: `0x${count.toString(16)}`,
    })
    await expectRelayed()
    console.table({ restarted: await measure() })
  })
})
