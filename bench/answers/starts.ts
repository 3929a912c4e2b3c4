import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BuiltChain, buildChain } from '../support/chain/build.ts'
import { contracts, planChain } from '../support/chain/plan.ts'
import { connect } from '../support/load/connection.ts'
import { median, percentile } from '../support/load/percentile.ts'
import { encodeRequest } from '../support/load/rawLoad.ts'
import { type StartOptions, startNode } from '../support/peers/runningNode.ts'
import type { Measured, OpenSide, RunOptions, Side } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { bodiesOf, type RequestRow, requestRows } from './requests.ts'

interface StartsStage {
  readonly name: string
  readonly chain: BuiltChain
  readonly start: StartOptions
  readonly starts: number
}

/** What is measured does not depend on how long the chain is. */
const size = { logBlocks: 120, busyBlocks: 4, perBlock: 200, heavyBlocks: 4 }

/** After the first answer a node has this long to do what can wait; then the row is asked. */
const idleMs = 1_000

/** As many of these as a few seconds allow. */
const asked = 100
const maxMs = 2_000

const pollMs = 4

/** Peers that keep a chain; anvil writes it to a file when it ends. */
const keepingPeers = ['anvil', 'geth']

const flagsOf = (name: string, folder: string): readonly string[] =>
  name === 'anvil' ? [`--state=${join(folder, 'state.json')}`, '--preserve-historical-states'] : []

/** Makes the chain in a folder, from which the node is started again for every row. */
const openSide = async (name: string, { isQuick }: RunOptions): Promise<OpenSide<StartsStage>> => {
  const folder = mkdtempSync(join(tmpdir(), `perihelion-bench-starts-${name}-`))
  const start = { folder, isArchive: true, pollMs, flags: flagsOf(name, folder) }
  const close = async (): Promise<void> => rmSync(folder, { recursive: true, force: true })
  try {
    const node = await startNode(name, { ...start, isNewFolder: true })
    try {
      const chain = await buildChain(node, planChain(size, contracts))
      return { stage: { name, chain, start, starts: isQuick ? 2 : 7 }, version: node.version, close }
    } finally {
      await node.stop()
    }
  } catch (error) {
    await close()
    throw error
  }
}

const createSide = (name: string, options: RunOptions): Side<StartsStage> => ({
  name,
  kind: name === 'perihelion' ? 'ours' : 'peer',
  open: () => openSide(name, options),
})

/** Starts the node, asks a hundred requests of a row one after the other, and returns how long each took. */
const askAfterStart = async ({ name, chain, start }: StartsStage, row: RequestRow) => {
  const requests = bodiesOf({ ...row, count: asked }, chain).map(encodeRequest)
  const node = await startNode(name, start)
  try {
    await sleep(idleMs)
    const connection = await connect(node.port)
    const cpuBefore = node.cpuMs()
    const times: number[] = []
    let errors = 0
    const until = performance.now() + maxMs
    for (const request of requests) {
      const sentAt = performance.now()
      const body = await connection.exchange(request)
      times.push(performance.now() - sentAt)
      if (body.slice(0, 200).includes('"error":{')) errors++
      if (performance.now() > until) break
    }
    connection.close()
    return { times, errors, cpuMs: node.cpuMs() - cpuBefore }
  } finally {
    await node.stop()
  }
}

const measure = async (stage: StartsStage, row: RequestRow): Promise<Measured> => {
  const runs = []
  for (let count = 0; count < stage.starts; count++) runs.push(await askAfterStart(stage, row))
  const firsts = runs.map(({ times }) => times[0] ?? Number.NaN)
  const all = Float64Array.from(runs.flatMap(({ times }) => times)).sort()
  const errors = runs.reduce((sum, run) => sum + run.errors, 0)
  return {
    figures: {
      firstMs: median(firsts),
      p50Ms: percentile(all, 0.5),
      p99Ms: percentile(all, 0.99),
      cpuMs: median(runs.map(({ cpuMs }) => cpuMs)),
    },
    ...(errors === 0 ? {} : { note: `${errors} of ${all.length} answers are errors`, isVoid: true }),
  }
}

/**
 * The first request of each kind and the first hundred, one after the other, a second after the first answer of a node that
 * was started for them alone.
 */
export const part = definePart<StartsStage>({
  sides: (options) =>
    ['perihelion', ...options.peers.filter((name) => keepingPeers.includes(name))].map((name) =>
      createSide(name, options),
    ),
  rows: () =>
    requestRows.map((row) => ({
      name: row.name,
      unit: `first ${asked} requests`,
      by: 'firstMs',
      isOn: ({ name }) => row.without?.includes(name) !== true,
      measure: (stage) => measure(stage, row),
    })),
})
