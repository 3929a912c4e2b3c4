import type { CallOptions } from '../../comet/client/httpClient.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { GrpcError, RateLimitError, TransportError } from '../../comet/data/transportErrors.ts'
import { type Attempt, raceAttempts } from './choice/hedge.ts'
import { CircuitBreaker } from './circuitBreaker.ts'
import { type GrpcClient, isSizeLimit } from './grpcClient.ts'

type Ask = (options: CallOptions) => Promise<Uint8Array>

/** CometBFT is asked beside gRPC after half of the time of a call, and within these bounds. */
const minHedgeMs = 500
const maxHedgeMs = 10_000

const lost = new TransportError('CometBFT answered before it')

/**
 * Returns whether CometBFT may know more than this error of gRPC: it has other limits of size, and HTTP/2 drops a message
 * that ends in a space, as that of a revert with an empty reason does.
 */
const mayCometKnowMore = (error: unknown): boolean =>
  (error instanceof TransportError && !(error instanceof RateLimitError)) ||
  isSizeLimit(error) ||
  (error instanceof GrpcError && error.message === '')

/** The gRPC of a node, as long as it answers. What it does not answer is asked of CometBFT of the same node. */
export class GrpcWay {
  readonly #client: GrpcClient
  readonly #onChange: (reason: string | undefined) => void
  readonly #breaker = new CircuitBreaker()

  /** `onChange` is called with the reason when gRPC does not answer any more, and with undefined when it does again. */
  constructor(client: GrpcClient, onChange: (reason: string | undefined) => void) {
    this.#client = client
    this.#onChange = onChange
  }

  get isReady(): boolean {
    return !this.#breaker.isOpen
  }

  /** Returns whether it may be asked now; while it does not answer, one call at a time may try. */
  allows(now: number): boolean {
    return this.#breaker.allows(now)
  }

  /**
   * Asks gRPC, and CometBFT if gRPC fails. If gRPC hangs, CometBFT is asked beside it after half of the time: a call may be
   * slow itself, so that gRPC goes on, and this is done only where gRPC has answered nobody else either.
   */
  ask(
    byGrpc: (client: GrpcClient, options: CallOptions) => Promise<Uint8Array>,
    byComet: Ask,
    options: CallOptions,
  ): Promise<Uint8Array> {
    const { signal = new AbortController().signal, timeoutMs, waitsMs = timeoutMs } = options
    const began = Date.now()
    const left = (): number => timeoutMs - (Date.now() - began)
    let grpcFailure: unknown
    const ways: Attempt<Uint8Array>[] = [
      (either) =>
        this.#record((given) => byGrpc(this.#client, given), { ...options, signal: either }).catch(
          (error) => {
            grpcFailure = error
            throw error
          },
        ),
      (either) => byComet({ ...options, signal: either, timeoutMs: left() }),
    ]
    let problem: Error = new TransportError('no time is left for it')
    const next = (isSecond: boolean): Attempt<Uint8Array> | undefined =>
      left() > 0 && (!isSecond || this.#client.isSilentSince(began)) ? ways.shift() : undefined
    const onFailure = (error: unknown): void => {
      problem = error as Error
      const isGrpc = error === grpcFailure
      // What CometBFT fails at ends nothing as long as gRPC may answer; what the application says is a response.
      const isFinal = isGrpc ? !mayCometKnowMore(error) : error instanceof NativeQueryError
      if (signal.aborted || isFinal) throw error
    }
    return raceAttempts(next, onFailure, () => problem, {
      signal,
      hedgeAfterMs: Math.min(maxHedgeMs, Math.max(minHedgeMs, Math.min(timeoutMs, waitsMs) / 2)),
      lossReason: lost,
    })
  }

  close(): void {
    this.#client.close()
  }

  async #record(ask: Ask, options: CallOptions): Promise<Uint8Array> {
    const began = Date.now()
    this.#breaker.onStart()
    try {
      const answer = await ask(options)
      this.#change(() => this.#breaker.onSuccess())
      return answer
    } catch (error) {
      const { signal } = options
      const hasLost = signal?.reason === lost && this.#client.isSilentSince(began)
      // That time is up says nothing where CometBFT did not answer either: the call itself is slow.
      if ((signal?.aborted && !hasLost) || error instanceof RateLimitError) this.#breaker.onCancelled()
      else if (error instanceof TransportError) this.#fail(error.message)
      else this.#change(() => this.#breaker.onSuccess())
      throw error
    }
  }

  #fail(reason: string): void {
    this.#change(() => this.#breaker.onFailure(Date.now()), reason)
  }

  /** Records how a call ended, and tells if it is the first that ends so. */
  #change(record: () => void, reason?: string): void {
    const { isReady } = this
    record()
    if (this.isReady === isReady) return
    // Its connection may be dead: who tries it next opens another.
    if (isReady) this.#client.close()
    this.#onChange(reason)
  }
}
