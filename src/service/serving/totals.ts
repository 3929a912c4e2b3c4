import { inTime } from '../../base/async/maybePromise.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { ServingChild } from './childProcess.ts'
import type { Metrics } from './messages.ts'
import { addUp, counted } from './metrics.ts'

/** How long metrics are waited for. */
const timeoutMs = 2_000

/** What processes count, also those that have ended: a total must not fall because one has. */
export class ServingTotals {
  readonly #log: Logger
  readonly #last = new Map<object, Metrics>()
  /** What ended ones have counted, not all of it added up yet. */
  readonly #ended: Metrics[] = []
  #isAdding = false

  constructor(log: Logger) {
    this.#log = log
  }

  get all(): readonly Metrics[] {
    return [...this.#ended, ...this.#last.values()]
  }

  /** Asks the processes that are there for their metrics. Of one that does not answer in time the last ones are kept. */
  async ask(processes: ReadonlyMap<ServingChild, unknown>): Promise<void> {
    const asked = [...processes.keys()].map(async (process) => {
      const metrics = await inTime(
        process.request({ kind: 'metrics' }).catch(() => undefined),
        timeoutMs,
      )
      if (metrics !== undefined && processes.has(process)) this.keep(process, metrics as Metrics)
    })
    await Promise.all(asked)
  }

  /** Keeps the newest metrics of a process. */
  keep(process: object, metrics: Metrics): void {
    this.#last.set(process, metrics)
  }

  /** Keeps of a process what it has counted: it has ended. */
  retire(process: object): void {
    const last = this.#last.get(process)
    if (last === undefined) return
    this.#last.delete(process)
    this.#ended.push(counted(last))
    this.#addUp().catch((error: unknown) =>
      this.#log.error({ err: error }, 'metrics of ended processes cannot be added up'),
    )
  }

  async #addUp(): Promise<void> {
    if (this.#isAdding || this.#ended.length < 2) return
    this.#isAdding = true
    const added = this.#ended.length
    try {
      const sum = await addUp(this.#ended.slice(0, added)).getMetricsAsJSON()
      // Others may have ended meanwhile.
      this.#ended.splice(0, added, sum)
    } finally {
      this.#isAdding = false
    }
  }
}
