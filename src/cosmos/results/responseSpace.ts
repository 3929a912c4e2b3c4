const mebibyte = 1024 * 1024

/**
 * CometBFT gives up the application, and with it the node, for a response of 100 MiB. The results may take this much of
 * it; the events of the block and the changes of validators have the rest.
 */
export const maxResultsBytes = 96 * mebibyte
/** The share of return data. What is in results is hashed, so this is a rule of `resultsVersion`. */
const maxReturnBytesOfBlock = 8 * mebibyte
/** The most for logs: a gateway keeps at most 64 MiB of a block's results. */
const maxLogBytesOfBlock = 48 * mebibyte

/**
 * The space for the results of a block. Return data has a share of its own, which depends on nothing else. Logs get what
 * all results leave; those of a block that has more are not in its events, but in its receipts.
 */
export class ResponseSpace {
  #return = maxReturnBytesOfBlock
  #logs = maxLogBytesOfBlock
  #left = maxResultsBytes

  /** Takes space for return data. Returns whether there was enough; once there was not, there is none. */
  takeReturn(bytes: number): boolean {
    this.#return -= bytes
    return this.#return >= 0
  }

  /** Takes space for a result without its logs. */
  takeResult(bytes: number): void {
    this.#left -= bytes
  }

  /** Takes space for logs, when all results have theirs. Returns whether there was enough; once there was not, there is none. */
  takeLogs(bytes: number): boolean {
    this.#logs -= bytes
    this.#left -= bytes
    return this.#logs >= 0 && this.#left >= 0
  }
}
