/**
 * Runs `work` with a signal that aborts with the first of `signals`, or after `timeoutMs` with a `TimeoutError`. Nothing
 * stays on the signals when the work has ended. `AbortSignal.any` does not do that: on Node 20 a signal that lives as long as
 * the process keeps every signal that was ever combined with it.
 */
export const withAnySignal = async <T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => T | Promise<T>,
  { timeoutMs }: { readonly timeoutMs?: number } = {},
): Promise<T> => {
  const combined = new AbortController()
  const onAbort = ({ target }: { readonly target: unknown }): void => {
    // Only signals are listened to.
    combined.abort((target as AbortSignal).reason)
  }
  for (const signal of signals) {
    if (signal.aborted) onAbort({ target: signal })
    else signal.addEventListener('abort', onAbort, { once: true })
  }
  const onTimeout = (): void =>
    combined.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs)
  timer?.unref()
  try {
    return await work(combined.signal)
  } finally {
    clearTimeout(timer)
    for (const signal of signals) signal.removeEventListener('abort', onAbort)
  }
}
