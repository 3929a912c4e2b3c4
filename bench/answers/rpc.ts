import { buildChain, shorten } from '../support/chain/build.ts'
import { compareBodies } from '../support/chain/compareAnswers.ts'
import { type ChainPlan, type ChainSize, contracts, planChain } from '../support/chain/plan.ts'
import { Ticker } from '../support/chain/ticker.ts'
import { connect } from '../support/load/connection.ts'
import { LoadDriver } from '../support/load/drive.ts'
import { encodeRequest, type LoadResult } from '../support/load/rawLoad.ts'
import { startNode } from '../support/peers/runningNode.ts'
import type { Difference, Measured, Part, Row, RunOptions, Side } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { floors } from './floor.ts'
import { bodiesOf, type RequestRow, requestRows } from './requests.ts'
import type { AnswersStage } from './stage.ts'

/** The same chain on every side, as long as the side makes it in a reasonable time. */
const sizeOf = (name: string, { isQuick }: RunOptions): ChainSize => {
  if (isQuick) return { logBlocks: 120, busyBlocks: 4, perBlock: 200, heavyBlocks: 2 }
  const size = { logBlocks: 2_000, busyBlocks: 200, perBlock: 200, heavyBlocks: 20 }
  if (name === 'hardhat') return { ...size, logBlocks: 1_000, busyBlocks: 50 }
  if (name === 'ganache') return { ...size, logBlocks: 500, busyBlocks: 20, heavyBlocks: 2 }
  return size
}

const plans = new Map<string, ChainPlan>()
/** Signing takes as long as making the chain: sides of one size share it. */
const planOf = (size: ChainSize): ChainPlan => {
  const key = JSON.stringify(size)
  const plan = plans.get(key) ?? planChain(size, contracts)
  plans.set(key, plan)
  return plan
}

const createSide = (name: string, options: RunOptions): Side<AnswersStage> => ({
  name,
  kind: name === 'perihelion' ? 'ours' : 'peer',
  open: async () => {
    const node = await startNode(name, { isArchive: true })
    try {
      const chain = await buildChain(node, planOf(sizeOf(name, options)))
      const { port, version, cpuMs, rssMb, stop } = node
      return { stage: { port, chain, ticker: new Ticker(port), cpuMs, rssMb }, version, close: stop }
    } catch (error) {
      await node.stop()
      throw error
    }
  },
})

const remark = ({ errors, requests, cpuMs, seconds }: LoadResult): string | undefined => {
  if (errors > 0) return `${errors} of ${requests} answers are errors`
  return cpuMs > seconds * 900 ? 'the generator was the limit' : undefined
}

class Requests {
  readonly #driver = new LoadDriver()
  readonly #files = new Map<string, string>()
  readonly #seconds: number

  constructor(seconds: number) {
    this.#seconds = seconds
    process.once('exit', () => this.#driver.close())
  }

  toRow(row: RequestRow): Row<AnswersStage> {
    const { name, connections, without = [], hasFloor = false } = row
    return {
      ...{ name, connections, unit: 'request', by: 'rate' },
      isOn: (side) => !without.includes(side.name) && (side.kind !== 'floor' || hasFloor),
      measure: (stage, width) => this.#measure(row, stage, width),
    }
  }

  async #measure(row: RequestRow, stage: AnswersStage, connections: number): Promise<Measured> {
    const file = this.#fileOf(row, stage)
    const order = { port: stage.port, file, connections, seconds: this.#seconds }
    const drive = async (): Promise<Measured> => {
      const warm = await this.#driver.warmUp(order)
      const cpuBefore = stage.cpuMs()
      const result = await this.#driver.drive(order, warm)
      const cpuMs = stage.cpuMs() - cpuBefore
      const { requests, seconds, p50Ms, p99Ms, bytes } = result
      const note = remark({ ...result, errors: Math.max(result.errors, warm.errors) })
      return {
        figures: {
          rate: requests / seconds,
          ...{ p50Ms, p99Ms, bytes },
          cpuMicros: (cpuMs * 1000) / requests,
          rssMb: stage.rssMb(),
        },
        ...(note === undefined ? {} : { note }),
        ...(warm.errors * 2 > warm.requests ? { isVoid: true } : {}),
      }
    }
    return stage.ticker === undefined ? drive() : stage.ticker.during(drive)
  }

  #fileOf(row: RequestRow, { port, chain }: AnswersStage): string {
    const key = `${row.name} ${port}`
    const bodies = (): string[] =>
      chain === undefined
        ? ['{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}']
        : bodiesOf(row, chain)
    const file = this.#files.get(key) ?? this.#driver.prepare(bodies())
    this.#files.set(key, file)
    return file
  }
}

const comparedRequests = 3

/** A peer that does not answer in this time is not waited for. */
const compareTimeoutMs = 60_000

type Asked = readonly [port: number, bodies: readonly string[]]

/** Returns the first difference of the answers to requests of one row. */
const compareRow = async (
  [ourPort, ourBodies]: Asked,
  [theirPort, theirBodies]: Asked,
): Promise<{ readonly text: string; readonly isVoid: boolean } | undefined> => {
  // New connections for every row: servers close those on which nothing comes while others think.
  const [here, there] = [await connect(ourPort), await connect(theirPort)]
  const timer = setTimeout(() => there.close(new Error('no answer in a minute')), compareTimeoutMs)
  try {
    for (const [index, body] of ourBodies.entries()) {
      const one = await here.exchange(encodeRequest(body))
      let other: string
      try {
        other = await there.exchange(encodeRequest(theirBodies[index] ?? body))
      } catch (error) {
        return { text: (error as Error).message, isVoid: true }
      }
      const { text, isVoid } = compareBodies(one, other)
      if (text !== '' || isVoid) return { text, isVoid }
    }
    return undefined
  } finally {
    clearTimeout(timer)
    here.close()
    there.close()
  }
}

/** Asks ours and each peer the same, about what both chains have. */
const compare: NonNullable<Part<AnswersStage>['compare']> = async (stages, rows) => {
  const ours = stages.get('perihelion')?.stage
  const differences: Difference[] = []
  for (const [side, { kind, stage }] of stages) {
    if (kind !== 'peer' || ours?.chain === undefined || stage.chain === undefined) continue
    for (const row of requestRows.filter(
      ({ name, without = [], isOwn = false }) =>
        !isOwn && rows.some((wanted) => wanted.name === name && !without.includes(side)),
    )) {
      const count = { ...row, count: comparedRequests }
      const bodies = bodiesOf(count, shorten(ours.chain, stage.chain.size))
      const found = await compareRow([ours.port, bodies], [stage.port, bodiesOf(count, stage.chain)])
      if (found !== undefined) differences.push({ row: row.name, side, ...found })
    }
  }
  return differences
}

/** Answers over HTTP at 1, 16 and 64 connections while a block is made every second. */
export const part = definePart<AnswersStage>({
  sides: (options) => [
    ...['perihelion', ...options.peers].map((name) => createSide(name, options)),
    ...floors,
  ],
  rows: ({ seconds }) => {
    const requests = new Requests(seconds)
    return requestRows.map((row) => requests.toRow(row))
  },
  compare,
})
