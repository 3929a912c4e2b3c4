import { setTimeout as sleep } from 'node:timers/promises'
import { LoadDriver } from '../support/load/drive.ts'
import type { LoadResult } from '../support/load/rawLoad.ts'
import type { Measured, Row } from '../support/run/part.ts'
import { collectorSettleMs } from './collector.ts'
import { bodiesOf, type RequestRow } from './requests.ts'
import type { AnswersStage } from './stage.ts'

const remark = ({ errors, requests, cpuMs, seconds }: LoadResult): string | undefined => {
  if (errors > 0) return `${errors} of ${requests} answers are errors`
  return cpuMs > seconds * 900 ? 'the generator was the limit' : undefined
}

/** The collector's time of a watched node, once its watcher has written all of it. */
const gcMsOf = async ({ gcMs }: AnswersStage): Promise<number | undefined> => {
  if (gcMs === undefined) return undefined
  await sleep(collectorSettleMs)
  return gcMs()
}

/** Drives rows of requests. */
export class Requests {
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
      const [gcBefore, v8Before] = [await gcMsOf(stage), stage.v8Ms?.()]
      const result = await this.#driver.drive(order, warm)
      const cpuMs = stage.cpuMs() - cpuBefore
      const v8Ms = v8Before === undefined ? undefined : (stage.v8Ms?.() ?? 0) - v8Before
      const gcMs = gcBefore === undefined ? undefined : ((await gcMsOf(stage)) ?? 0) - gcBefore
      const { requests, seconds, p50Ms, p99Ms, p999Ms, bytes } = result
      const note = remark({ ...result, errors: Math.max(result.errors, warm.errors) })
      return {
        figures: {
          rate: requests / seconds,
          ...{ p50Ms, p99Ms, p999Ms, bytes },
          cpuMicros: (cpuMs * 1000) / requests,
          ...(gcMs === undefined ? {} : { gcShare: gcMs / (seconds * 10) }),
          ...(v8Ms === undefined ? {} : { v8Micros: (v8Ms * 1000) / requests }),
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
