import { Counter, Gauge, type Registry } from 'prom-client'
import type { TransportName } from './access/access.ts'
import { CachedHistogram, type HistogramSeries } from './cachedHistogram.ts'
import type { WorkLimiters } from './dispatch/workLimiter.ts'
import type { MemoryBudget } from './memoryBudget.ts'

/** The reason why a request or a connection was rejected before it became a call. */
export type RejectReason = (typeof rejectReasons)[number]

const rejectReasons = [
  'host',
  'header',
  'origin',
  'token',
  'key',
  'method',
  'path',
  'content-type',
  'body-size',
  'pipeline',
  'rate-limit',
  'connections',
  'backlog',
  'memory',
  'control-frames',
  'draining',
] as const

/** What was done with a request when something was thrown that no method throws on purpose. */
export type FailedStage = (typeof failedStages)[number]

const failedStages = ['call', 'response', 'transport'] as const

/** The outcome of a call of a method that is not in the table. */
const methodNotFound = -32_601

const latencyBuckets = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30,
]
const sizeBuckets = [128, 1024, 8192, 65_536, 524_288, 5_000_000, 25_000_000]

/** The counts of one method. */
interface MethodStats {
  readonly latency: HistogramSeries
  /** The number of calls by error code; undefined stands for success. */
  readonly outcomes: Map<number | undefined, number>
}

/** The metrics of the JSON-RPC server. */
export class RpcMetrics {
  readonly #latency: CachedHistogram<'method'>
  readonly #requestSize: HistogramSeries
  readonly #responseSize: HistogramSeries
  readonly #connections: Gauge<'transport'>
  readonly #rejected: Counter<'reason'>
  readonly #internalErrors: Counter<'stage'>
  // There are few entries, because names outside the table count as one.
  readonly #methods = new Map<string, MethodStats>()

  constructor(registry: Registry) {
    const registers = [registry]
    const methods = this.#methods
    new Counter({
      name: 'perihelion_rpc_requests_total',
      help: 'Calls by method and outcome ("ok" or the error code)',
      labelNames: ['method', 'outcome'],
      registers,
      collect() {
        this.reset()
        for (const [method, { outcomes }] of methods) {
          for (const [code, count] of outcomes) this.inc({ method, outcome: code ?? 'ok' }, count)
        }
      },
    })
    this.#latency = new CachedHistogram({
      name: 'perihelion_rpc_request_seconds',
      help: 'Time from dispatch to result, by method',
      labelNames: ['method'],
      buckets: latencyBuckets,
      registers,
    })
    const sizes = new CachedHistogram({
      name: 'perihelion_rpc_body_bytes',
      help: 'Size of request and response bodies',
      labelNames: ['direction'],
      buckets: sizeBuckets,
      registers,
    })
    this.#requestSize = sizes.createSeries({ direction: 'in' })
    this.#responseSize = sizes.createSeries({ direction: 'out' })
    this.#connections = new Gauge({
      name: 'perihelion_rpc_connections',
      help: 'Open connections by transport',
      labelNames: ['transport'],
      registers,
    })
    this.#rejected = new Counter({
      name: 'perihelion_rpc_rejected_total',
      help: 'Requests and connections rejected before they became a call, by reason',
      labelNames: ['reason'],
      registers,
    })
    this.#internalErrors = new Counter({
      name: 'perihelion_rpc_internal_errors_total',
      help: 'Errors that no method throws on purpose, by what was done with the request; each is a bug',
      labelNames: ['stage'],
      registers,
    })
    // A series that appears with its first event has risen for nobody who watches it.
    for (const reason of rejectReasons) this.#rejected.inc({ reason }, 0)
    for (const stage of failedStages) this.#internalErrors.inc({ stage }, 0)
    for (const transport of ['http', 'ws', 'ipc'] as const) this.#connections.inc({ transport }, 0)
    this.#statsOf('unknown').outcomes.set(methodNotFound, 0)
  }

  /** Registers the metrics of the memory of requests and responses, which are read at each scrape. */
  observeMemory(registry: Registry, budget: MemoryBudget): void {
    new Gauge({
      name: 'perihelion_rpc_memory_bytes',
      help: 'Memory of requests and responses under way, and its limit',
      labelNames: ['what'],
      registers: [registry],
      collect() {
        this.set({ what: 'used' }, budget.used)
        this.set({ what: 'limit' }, budget.limit)
      },
    })
    new Counter({
      name: 'perihelion_rpc_memory_refused_total',
      help: 'Bodies and calls for which there was no memory',
      registers: [registry],
      collect() {
        this.reset()
        this.inc(budget.refused)
      },
    })
  }

  /** Registers the metrics of the classes of work, which are read at each scrape. */
  observeWork(registry: Registry, limiters: WorkLimiters): void {
    new Gauge({
      name: 'perihelion_rpc_class_calls',
      help: 'Calls under way by class of work and by whether they run or wait',
      labelNames: ['class', 'state'],
      registers: [registry],
      collect() {
        for (const [name, { stats }] of Object.entries(limiters)) {
          this.set({ class: name, state: 'running' }, stats.running)
          this.set({ class: name, state: 'waiting' }, stats.waiting)
        }
      },
    })
    new Counter({
      name: 'perihelion_rpc_class_calls_total',
      help: 'Calls by class of work and by whether they ran or were rejected for the limits of the class',
      labelNames: ['class', 'outcome'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [name, { stats }] of Object.entries(limiters)) {
          this.inc({ class: name, outcome: 'admitted' }, stats.admitted)
          this.inc({ class: name, outcome: 'refused' }, stats.refused)
        }
      },
    })
  }

  /** Counts a call. `method` is undefined for a name that is not in the table, `code` for success. */
  observeCall(method: string | undefined, code: number | undefined, milliseconds: number): void {
    const { latency, outcomes } = this.#statsOf(method ?? 'unknown')
    outcomes.set(code, (outcomes.get(code) ?? 0) + 1)
    latency.observe(milliseconds / 1000)
  }

  observeSizes(requestBytes: number, responseBytes: number): void {
    this.#requestSize.observe(requestBytes)
    this.#responseSize.observe(responseBytes)
  }

  connectionOpened(transport: TransportName): void {
    this.#connections.inc({ transport })
  }

  connectionClosed(transport: TransportName): void {
    this.#connections.dec({ transport })
  }

  rejected(reason: RejectReason): void {
    this.#rejected.inc({ reason })
  }

  countInternalError(stage: FailedStage): void {
    this.#internalErrors.inc({ stage })
  }

  #statsOf(method: string): MethodStats {
    let stats = this.#methods.get(method)
    if (stats === undefined) {
      stats = { latency: this.#latency.createSeries({ method }), outcomes: new Map() }
      this.#methods.set(method, stats)
    }
    return stats
  }
}
