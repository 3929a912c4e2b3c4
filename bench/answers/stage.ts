import type { BuiltChain } from '../support/chain/build.ts'
import type { Ticker } from '../support/chain/ticker.ts'

/** A server that answers requests about a chain; a floor has none. */
export interface AnswersStage {
  readonly port: number
  readonly pid: number
  readonly chain: BuiltChain | undefined
  readonly ticker: Ticker | undefined
  cpuMs(): number
  /** For how long the collector has stopped the main thread so far; of a watched node alone. */
  gcMs?(): number
  /** The CPU of V8's own threads so far, which compile and collect; of a watched node alone. */
  v8Ms?(): number
  rssMb(): number
}
