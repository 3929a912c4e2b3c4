import { create, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { sleep } from '../../base/async/sleep.ts'
import type { Logger } from '../../base/logging/log.ts'
import { type NativeQueryClient, NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { isPanic } from '../../comet/data/refusals.ts'
import { decodeLargeMessage } from '../../cosmos/protobuf.ts'

/** A query that an existing state answers differently from an empty one. */
export interface StateWitness {
  readonly path: string
  readonly isKept: (response: Uint8Array) => boolean
}

/** Thrown if a chain cannot be detected; the message says which setting to use. */
export class DetectionError extends Error {
  override readonly name = 'DetectionError'
}

/** A client that can check whether the requested states are kept. */
export interface StateWitnessing {
  witnessState(witness: StateWitness): void
}

/** The dependencies of the queries of detection. */
export interface DetectionContext {
  readonly queries: NativeQueryClient & Partial<StateWitnessing>
  readonly signal: AbortSignal
  /** What the queries of a detection share; undefined for a query alone. */
  readonly start?: StartWait
  readonly log?: Logger | undefined
}

const panicPauseMs = 300
const maxStartMs = 30_000
const tellAfterMs = 1_000

/**
 * Waits while the module panics: for about a second after a start, until the first block, that of cosmos/evm has no
 * configuration. All queries of a detection share the time that this may take.
 */
export class StartWait {
  readonly #log: Logger | undefined
  #began: number | undefined
  #isTold = false

  constructor(log?: Logger) {
    this.#log = log
  }

  /** Makes a query, and again while it panics. */
  async query(query: () => Promise<Uint8Array>, signal: AbortSignal): Promise<Uint8Array> {
    for (;;) {
      try {
        return await query()
      } catch (error) {
        const hasPanicked = error instanceof NativeQueryError && isPanic(error.message)
        if (!hasPanicked || signal.aborted || this.#isOver(error.message)) throw error
        await sleep(panicPauseMs, signal)
      }
    }
  }

  #isOver(reason: string): boolean {
    this.#began ??= Date.now()
    const waitedMs = Date.now() - this.#began
    if (waitedMs >= tellAfterMs && !this.#isTold) {
      this.#isTold = true
      this.#log?.warn(
        { reason, seconds: maxStartMs / 1_000 },
        'the EVM module of the node has no configuration yet, as before its first block: it is waited for',
      )
    }
    return waitedMs >= maxStartMs
  }
}

/** Returns the response of a query with an empty request; undefined if the chain has no such query. */
export const queryOptional = async <Request extends DescMessage, Response extends DescMessage>(
  { queries, signal, start = new StartWait() }: DetectionContext,
  path: string,
  requestSchema: Request,
  responseSchema: Response,
  request?: MessageShape<Request>,
): Promise<MessageShape<Response> | undefined> => {
  let bytes: Uint8Array
  try {
    const encoded = toBinary(requestSchema, request ?? create(requestSchema))
    bytes = await start.query(() => queries.query(path, encoded, undefined, signal), signal)
  } catch (error) {
    if (error instanceof NativeQueryError && error.kind === 'unknown path') return undefined
    throw error
  }
  const message = decodeLargeMessage(responseSchema, bytes)
  if (message === undefined)
    throw new DetectionError(`the node's response to ${path} is not a ${responseSchema.typeName}`)
  return message
}
