import type { Logger } from '../../base/logging/log.ts'
import { internalError, type RpcError } from '../errors.ts'
import type { FailedStage, RpcMetrics } from '../metrics.ts'

/**
 * Keeps errors that nobody expected from the process. Whoever catches one hands it in here: it is logged and counted, and
 * the client gets -32603.
 */
export class InternalErrors {
  readonly #metrics: RpcMetrics
  readonly #log: Logger

  constructor(dependencies: { readonly metrics: RpcMetrics; readonly log: Logger }) {
    this.#metrics = dependencies.metrics
    this.#log = dependencies.log
  }

  /** Logs and counts an error, and returns the one for the client. It never throws. */
  record(stage: FailedStage, error: unknown, members: Readonly<Record<string, unknown>> = {}): RpcError {
    try {
      this.#metrics.countInternalError(stage)
      this.#log.error({ ...members, stage, err: error }, 'a request failed')
    } catch {
      // An error that cannot be logged must not become one that nobody catches.
    }
    return internalError()
  }

  /** Runs `work`; what it throws is recorded and goes no further. */
  contain(stage: FailedStage, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.record(stage, error)
    }
  }
}
