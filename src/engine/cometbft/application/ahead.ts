import type { Application } from '../../../app/application.ts'
import type { DecidedBlock, FinalizeResult } from '../../../app/proposal/decidedBlock.ts'
import type { AheadStats } from '../../application.ts'
import { encodeFinalizeResponse } from '../abci/finalizeResponse.ts'

/** The length of the engine's block hash. An engine that sends none decides blocks that cannot be told apart. */
const hashBytes = 32

/**
 * Executes accepted proposals on the application thread while the votes travel. The last outcome is kept with its encoded
 * response, until the block is decided or another one is.
 */
export class AheadExecution {
  readonly #app: Application
  #scheduled: NodeJS.Immediate | undefined
  #kept: { readonly result: FinalizeResult; readonly response: Uint8Array } | undefined
  #used = 0
  #dropped = 0

  constructor(app: Application) {
    this.#app = app
  }

  get stats(): AheadStats {
    return { used: this.#used, dropped: this.#dropped }
  }

  /**
   * Executes a proposal after the response to the call under way was posted. It is given up as soon as `isWanted` returns
   * false.
   */
  schedule(proposal: DecidedBlock, isWanted: () => boolean): void {
    this.cancel()
    if (proposal.engineHash.length !== hashBytes) return
    this.#scheduled = setImmediate(() => this.run(proposal, isWanted))
  }

  /** Forgets a proposal whose execution has not begun. */
  cancel(): void {
    clearImmediate(this.#scheduled)
    this.#scheduled = undefined
  }

  /** Executes a proposal now, unless its outcome is kept already. */
  run(proposal: DecidedBlock, isWanted: () => boolean): void {
    if (!isWanted() || this.#app.isExecutedAhead(proposal)) return
    this.#drop()
    try {
      const result = this.#app.executeAhead(proposal, isWanted)
      this.#kept = { result, response: encodeFinalizeResponse(result) }
    } catch {
      // It was given up, or it fails again when it is decided, and then the engine learns of it.
      this.#dropped++
    }
  }

  /** Executes a decided block, or takes the outcome that is kept of it, and returns the result and the response. */
  finalize(decided: DecidedBlock): { readonly result: FinalizeResult; readonly response: Uint8Array } {
    this.cancel()
    const result = this.#app.finalizeDecided(decided)
    const kept = this.#kept
    if (kept?.result !== result) {
      this.#drop()
      return { result, response: encodeFinalizeResponse(result) }
    }
    this.#used++
    this.#kept = undefined
    return kept
  }

  #drop(): void {
    if (this.#kept !== undefined) this.#dropped++
    this.#kept = undefined
  }
}
