import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { until } from '../../test/network/homeProcess.ts'
import { encodeCall } from '../support/chain/signing.ts'
import { median } from '../support/load/percentile.ts'
import { timed } from '../support/run/inProcess.ts'
import type { Measured, Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { measureInChromium } from './chromium.ts'
import type { Client } from './clients.ts'
import { measureManyValidators } from './manyValidators.ts'
import { type LightStage, lightSides } from './stage.ts'

const startFile = fileURLToPath(new URL('startProcess.mjs', import.meta.url))

interface Started {
  readonly ms: number
  readonly cpuMs: number
  readonly rssMb: number
}

/** The median of processes that each ask one thing. */
const measureStart = (
  { chain: { url, trust }, isProven }: LightStage,
  runs: number,
  method: string,
  params: readonly unknown[],
): Measured => {
  const trusted = isProven ? `${trust.height}:${trust.hash}` : ''
  const all = Array.from({ length: runs }, () => {
    const args = [startFile, url, trusted, method, JSON.stringify(params)]
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Started
  }).sort((a, b) => a.ms - b.ms)
  const median = all[Math.floor(runs / 2)] as Started
  return { figures: { ...median } }
}

/** Longer than a row: what is measured is not mixed with newer heads. */
const lasting = 600_000

/** Asks one after the other on one head, after something that loads what they share. */
const measureEach = async (
  { open }: LightStage,
  warmUp: (client: Client, block: string) => Promise<unknown>,
  asked: readonly ((client: Client, block: string) => Promise<unknown>)[],
): Promise<Measured> => {
  const client = open(lasting)
  const block = `0x${(await client.head()).toString(16)}`
  await warmUp(client, block)
  const [before, times] = [client.bytes(), [] as number[]]
  const { cpuMs } = await timed(async () => {
    for (const ask of asked) times.push((await timed(() => ask(client, block))).wallMs)
  })
  await client.close()
  return {
    figures: {
      p50Ms: median(times),
      cpuMs: cpuMs / asked.length,
      bytes: Math.round((client.bytes() - before) / asked.length),
    },
  }
}

const measureHeads = async ({ open }: LightStage, count: number): Promise<Measured> => {
  const [client, watcher] = [open(0), open(0)]
  let known = await client.head()
  let [cpuMs, bytes] = [0, 0]
  for (let heads = 0; heads < count; heads++) {
    await until('a new head', async () => (await watcher.head()) > known)
    const before = client.bytes()
    cpuMs += (await timed(() => client.head())).cpuMs
    bytes += client.bytes() - before
    known = await client.head()
  }
  await Promise.all([client.close(), watcher.close()])
  return { figures: { cpuMs: cpuMs / count, bytes: Math.round(bytes / count) } }
}

const rowsOf = (runs: number): readonly Row<LightStage>[] => {
  const balance = (account: string) => (client: Client, block: string) =>
    client.request('eth_getBalance', account, block)
  const tokens =
    ({ chain: { token } }: LightStage, account: string) =>
    (client: Client, block: string) =>
      client.request('eth_call', { to: token, data: encodeCall('balanceOf(address)', account) }, block)
  const each = { unit: 'request', by: 'cpuMs' } as const
  const [first, others] = [0, [1, 1 + runs]] as const
  const accountsOf = ({ chain: { accounts } }: LightStage) => accounts.slice(...others)
  const firstOf = ({ chain: { accounts } }: LightStage): string => accounts[first] ?? ''
  return [
    {
      name: 'start of Node.js to the first balance',
      unit: 'start',
      by: 'ms',
      measure: (stage) => measureStart(stage, runs, 'eth_getBalance', [firstOf(stage), 'latest']),
    },
    {
      name: 'start of Node.js to the first balanceOf',
      unit: 'start',
      by: 'ms',
      measure: (stage) => {
        const data = encodeCall('balanceOf(address)', firstOf(stage))
        return measureStart(stage, runs, 'eth_call', [{ to: stage.chain.token, data }, 'latest'])
      },
    },
    {
      name: 'start in Chromium to the first balance',
      unit: 'start',
      by: 'ms',
      isOn: ({ kind }) => kind === 'ours',
      measure: ({ chain }) => measureInChromium(chain, runs),
    },
    { name: 'a new head', unit: 'block', by: 'cpuMs', measure: (stage) => measureHeads(stage, runs) },
    {
      ...each,
      name: 'balance of another account',
      measure: (stage) => measureEach(stage, balance(firstOf(stage)), accountsOf(stage).map(balance)),
    },
    {
      ...each,
      name: 'balanceOf of a token, the first of a client',
      measure: (stage) => measureEach(stage, async () => {}, [tokens(stage, firstOf(stage))]),
    },
    {
      ...each,
      name: 'balanceOf of another account',
      measure: (stage) =>
        measureEach(
          stage,
          tokens(stage, firstOf(stage)),
          accountsOf(stage).map((account) => tokens(stage, account)),
        ),
    },
    {
      ...each,
      name: 'balanceOf of the same account again',
      measure: (stage) => {
        const ask = tokens(stage, firstOf(stage))
        return measureEach(
          stage,
          ask,
          Array.from({ length: runs }, () => ask),
        )
      },
    },
    {
      ...each,
      name: 'the 100 logs of a token',
      measure: (stage) =>
        measureEach(stage, async () => {}, [
          async (client, block) => {
            const filter = { address: stage.chain.token, fromBlock: '0x1', toBlock: block }
            const logs = (await client.request('eth_getLogs', filter)) as readonly unknown[]
            if (logs.length < 100) throw new Error(`${logs.length} logs`)
          },
        ]),
    },
    {
      ...each,
      name: 'a block of token transfers, with its transactions',
      measure: (stage) =>
        measureEach(stage, async () => {}, [
          (client) => client.request('eth_getBlockByNumber', stage.chain.block, true),
        ]),
    },
    {
      name: 'start with 100 validators',
      unit: 'start',
      by: 'cpuMs',
      isOn: ({ kind }) => kind === 'ours',
      measure: () => measureManyValidators('start'),
    },
    {
      name: 'a new head with 100 validators',
      unit: 'block',
      by: 'cpuMs',
      isOn: ({ kind }) => kind === 'ours',
      measure: () => measureManyValidators('head'),
    },
  ]
}

/** What it costs a client to believe nothing, beside one that believes. */
export const part = definePart<LightStage>({
  sides: ({ isQuick }) => (isQuick ? [] : lightSides()),
  rows: ({ isQuick }) => rowsOf(isQuick ? 3 : 9),
})
