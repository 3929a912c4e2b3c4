import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { chainChanges, connection } from './live/live.ts'
import { useStore } from './store.ts'

export interface CallState<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
  readonly reload: () => void
}

/**
 * Asks the node when a view appears and whenever `deps` change. What was there stays until the new answer comes; an answer
 * that comes too late is dropped. A call that did not reach the node is made again when there is a connection, and every
 * call when the chain turns out to be another one.
 */
export const useCall = <T>(ask: () => Promise<T>, deps: readonly unknown[]): CallState<T> => {
  const [state, setState] = useState<{
    readonly data?: T
    readonly error?: unknown
    readonly isLoading: boolean
  }>({
    isLoading: true,
  })
  const [attempt, setAttempt] = useState(0)
  const turn = useRef(0)
  const link = useStore(connection)
  const changes = useStore(chainChanges)
  useEffect(() => {
    const own = ++turn.current
    setState((before) => ({ ...before, isLoading: true }))
    ask().then(
      (data) => own === turn.current && setState({ data, isLoading: false }),
      (error: unknown) => own === turn.current && setState({ error, isLoading: false }),
    )
    return () => void turn.current++
  }, [...deps, attempt, changes])
  const isLost =
    state.error instanceof Error && (state.error as { readonly code?: number }).code === undefined
  useEffect(() => {
    if (isLost && (link === 'live' || link === 'polling')) setAttempt((count) => count + 1)
  }, [link, isLost])
  const reload = useCallback(() => setAttempt((count) => count + 1), [])
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload }
}
