/** A value, or the promise of one. Callers need not wait for the event loop if the value is available. */
export type MaybePromise<T> = T | Promise<T>

/** Returns undefined if it takes too long. What comes of the work then is not seen. */
export const inTime = async <T>(work: MaybePromise<T>, milliseconds: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** How long a read may take whose result can be missing. */
const patienceMs = 500

/**
 * Returns undefined if the read fails or takes long: what is reported beside it must not depend on an engine that does not
 * answer.
 */
export const orUndefined = async <T>(read: () => MaybePromise<T>): Promise<T | undefined> => {
  try {
    return await inTime(read(), patienceMs)
  } catch {
    return undefined
  }
}
