import { type Caller, clientOf } from '../access/access.ts'
import { limitExceeded, type RpcError } from '../errors.ts'
import { StreamedResult } from '../rawJson.ts'

/** The streamed results that clients have not read yet: each has a share of the disk, so that none can fill it alone. */
export class UnreadResults {
  readonly #maxBytes: number
  readonly #bytes = new Map<object | string, number>()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Counts a result until it is disposed of; undefined if its client has too much unread. */
  hold(caller: Caller, result: StreamedResult): StreamedResult | undefined {
    const client = clientOf(caller)
    const before = this.#bytes.get(client) ?? 0
    if (before + result.size > this.#maxBytes) return undefined
    this.#bytes.set(client, before + result.size)
    let isHeld = true
    return new StreamedResult(result.size, result.read, () => {
      if (isHeld) this.#release(client, result.size)
      isHeld = false
      result.dispose()
    })
  }

  /** Returns the error for a result that could not be held. */
  refusal(): RpcError {
    return limitExceeded(
      `more than ${this.#maxBytes} bytes of results are unread (json-rpc.trace-spool-per-client): read them first`,
    )
  }

  #release(client: object | string, size: number): void {
    const left = (this.#bytes.get(client) ?? 0) - size
    if (left > 0) this.#bytes.set(client, left)
    else this.#bytes.delete(client)
  }
}
