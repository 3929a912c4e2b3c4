import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { useStore } from '../state/store.ts'
import { chainChanges, connection } from './live.ts'

export interface CallState<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
  readonly reload: () => void
}

/**
 * Asks the node when a view appears and whenever `deps` change. What was there stays until the new response comes; a response
 * that comes too late is dropped. A call that did not reach the node is made again when there is a connection, and every
 * call when the chain turns out to be another one.
 *
 * `fresh` is what makes a response old without being part of the call, such as the newest block. While one is on its way
 * it is waited for: repeated with every block, a node that takes longer than a block would never be heard.
 */
export const useCall = <T>(
  ask: () => Promise<T>,
  deps: readonly unknown[],
  fresh?: unknown,
): CallState<T> => {
  const [state, setState] = useState<{
    readonly data?: T | undefined
    readonly error?: unknown
    readonly isLoading: boolean
  }>({
    isLoading: true,
  })
  const [attempt, setAttempt] = useState(0)
  const turn = useRef(0)
  const link = useStore(connection)
  const changes = useStore(chainChanges)
  const current = useRef({ ask, fresh })
  current.current = { ask, fresh }
  /** What the call in flight, or the last one, was made for. */
  const asked = useRef<{ fresh: unknown; isOpen: boolean }>({ fresh, isOpen: false })
  const run = (): void => {
    const own = turn.current
    asked.current = { fresh: current.current.fresh, isOpen: true }
    setState((before) => ({ ...before, isLoading: true }))
    const end = (next: Pick<CallState<T>, 'error'> | Pick<CallState<T>, 'data'>): void => {
      if (own !== turn.current) return
      asked.current.isOpen = false
      setState({ ...next, isLoading: false })
      if (asked.current.fresh !== current.current.fresh) run()
    }
    current.current.ask().then(
      (data) => end({ data }),
      (error: unknown) => end({ error }),
    )
  }
  useEffect(() => {
    turn.current++
    run()
    return () => void turn.current++
  }, [...deps, attempt, changes])
  useEffect(() => {
    if (!asked.current.isOpen && asked.current.fresh !== fresh) run()
  }, [fresh])
  const isLost =
    state.error instanceof Error && (state.error as { readonly code?: number }).code === undefined
  useEffect(() => {
    if (isLost && (link === 'live' || link === 'polling')) setAttempt((count) => count + 1)
  }, [link, isLost])
  const reload = useCallback(() => setAttempt((count) => count + 1), [])
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload }
}
