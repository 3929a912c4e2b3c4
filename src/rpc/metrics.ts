import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { TransportName } from './access.ts'

/** Why something was turned away before it became a call. */
export type RejectReason =
  | 'host'
  | 'origin'
  | 'token'
  | 'method'
  | 'path'
  | 'content-type'
  | 'body-size'
  | 'rate-limit'
  | 'connections'
  | 'backlog'
  | 'draining'

const latencyBuckets = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30,
]
const sizeBuckets = [128, 1024, 8192, 65_536, 524_288, 5_000_000, 25_000_000]

/** Everything the JSON-RPC server measures. */
export class RpcMetrics {
  readonly #requests: Counter<'method' | 'outcome'>
  readonly #latency: Histogram<'method'>
  readonly #sizes: Histogram<'direction'>
  readonly #connections: Gauge<'transport'>
  readonly #rejected: Counter<'reason'>
  // Looking a label set up costs more than many a call; these are few, since names outside the table count as one.
  readonly #outcomes = new Map<string, Counter.Internal>()
  readonly #latencies = new Map<string, Histogram.Internal<'method'>>()
  readonly #requestSize: Histogram.Internal<'direction'>
  readonly #responseSize: Histogram.Internal<'direction'>

  constructor(registry: Registry) {
    const registers = [registry]
    this.#requests = new Counter({
      name: 'perihelion_rpc_requests_total',
      help: 'Calls by method and outcome ("ok" or the error code)',
      labelNames: ['method', 'outcome'],
      registers,
    })
    this.#latency = new Histogram({
      name: 'perihelion_rpc_request_seconds',
      help: 'Time from dispatch to result, by method',
      labelNames: ['method'],
      buckets: latencyBuckets,
      registers,
    })
    this.#sizes = new Histogram({
      name: 'perihelion_rpc_body_bytes',
      help: 'Size of request and response bodies',
      labelNames: ['direction'],
      buckets: sizeBuckets,
      registers,
    })
    this.#connections = new Gauge({
      name: 'perihelion_rpc_connections',
      help: 'Open connections by transport',
      labelNames: ['transport'],
      registers,
    })
    this.#rejected = new Counter({
      name: 'perihelion_rpc_rejected_total',
      help: 'Requests and connections turned away, by reason',
      labelNames: ['reason'],
      registers,
    })
    this.#requestSize = this.#sizes.labels('in')
    this.#responseSize = this.#sizes.labels('out')
  }

  /** `method` is undefined for a name that is not in the table, `code` for success. */
  observeCall(method: string | undefined, code: number | undefined, milliseconds: number): void {
    const name = method ?? 'unknown'
    const key = `${name} ${code ?? 'ok'}`
    let outcome = this.#outcomes.get(key)
    if (outcome === undefined) {
      outcome = this.#requests.labels(name, String(code ?? 'ok'))
      this.#outcomes.set(key, outcome)
    }
    outcome.inc()
    let latency = this.#latencies.get(name)
    if (latency === undefined) {
      latency = this.#latency.labels(name)
      this.#latencies.set(name, latency)
    }
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
}
