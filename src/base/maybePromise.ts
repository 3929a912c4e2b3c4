/** A value, or the promise of one. Callers need not wait for the event loop if the value is available. */
export type MaybePromise<T> = T | Promise<T>

/** How long a read may take whose result can be missing. */
const patienceMs = 500

/**
 * Returns undefined if the read fails or takes long: what is told beside it must not depend on an engine that does not
 * answer.
 */
export const orUndefined = async <T>(read: () => MaybePromise<T>): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const impatience = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patienceMs)
  })
  try {
    return await Promise.race([read(), impatience])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
