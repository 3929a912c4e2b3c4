/** No answer came: nobody is there, the line broke, or the time was up. Another node may know. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
}

/** Calls back once, when a caller has gone away or the time is up. Returns how to call that off. */
export const onTimeoutOrAbort = (
  signal: AbortSignal | undefined,
  milliseconds: number,
  expire: (error: TransportError) => void,
): (() => void) => {
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', onAbort)
    expire(new TransportError(`no answer within ${milliseconds} ms`))
  }, milliseconds)
  const onAbort = (): void => {
    clearTimeout(timer)
    expire(new TransportError('the caller has gone away'))
  }
  if (signal?.aborted) queueMicrotask(onAbort)
  else signal?.addEventListener('abort', onAbort, { once: true })
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Resolves after a time, or at once when the signal comes. */
export const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end, { once: true })
  })
