import { withAnySignal } from '../../base/abort.ts'
import type { Pool } from '../../chain/port/pool.ts'
import type { CallScope } from '../../rpc/method.ts'

/** What is known of the end of a call. */
export type CallEnd = Pick<CallScope, 'signal' | 'answerWithinMs'>

/**
 * Runs work whose signal aborts when the client leaves, after `longestMs`, and in any case early enough for the call to be
 * answered before its deadline.
 */
export const runInTime = <T>(
  { signal, answerWithinMs }: CallEnd,
  work: (signal: AbortSignal) => Promise<T>,
  longestMs = Number.POSITIVE_INFINITY,
): Promise<T> =>
  withAnySignal([signal], work, { timeoutMs: Math.max(0, Math.min(answerWithinMs, longestMs)) })

/**
 * Waits for the block of a transaction that the pool has, if the next one may hold it. A block that does not come in time is
 * not an error of the send: its hash is the response, because the pool keeps the transaction.
 */
export const waitForSeal = async (
  pool: Pick<Pool, 'waitForSeal'>,
  hash: Uint8Array,
  { answerWithinMs }: Pick<CallEnd, 'answerWithinMs'>,
): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const timeIsUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, answerWithinMs))
  })
  try {
    await Promise.race([pool.waitForSeal(hash), timeIsUp])
  } finally {
    clearTimeout(timer)
  }
}
