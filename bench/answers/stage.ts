import type { BuiltChain } from '../support/chain/build.ts'
import type { Ticker } from '../support/chain/ticker.ts'

/** A server that answers requests about a chain; a floor has none. */
export interface AnswersStage {
  readonly port: number
  readonly chain: BuiltChain | undefined
  readonly ticker: Ticker | undefined
  cpuMs(): number
  rssMb(): number
}
