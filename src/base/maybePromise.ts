/** A value, or the promise of one. Callers need not wait for the event loop if the value is available. */
export type MaybePromise<T> = T | Promise<T>

/** Returns undefined if the read fails: what is told beside it must not depend on an engine that does not answer. */
export const orUndefined = async <T>(read: () => MaybePromise<T>): Promise<T | undefined> => {
  try {
    return await read()
  } catch {
    return undefined
  }
}
