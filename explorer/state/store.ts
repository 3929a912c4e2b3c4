import { useEffect, useRef, useState } from 'preact/hooks'

/** A value that views follow. */
export interface Store<T> {
  get(): T
  set(value: T): void
  subscribe(listener: () => void): () => void
}

export const createStore = <T>(initial: T): Store<T> => {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** Follows a store, or what a view reads of it: a view is drawn again only if that changed. */
export const useStore = <T, S = T>(
  store: Store<T>,
  read: (value: T) => S = (value) => value as unknown as S,
): S => {
  const [, redraw] = useState({})
  const value = read(store.get())
  /** What was drawn last, and how the view reads now, which may depend on what else it shows. */
  const drawn = useRef({ value, read })
  drawn.current = { value, read }
  useEffect(() => {
    const update = (): void => {
      if (!Object.is(drawn.current.read(store.get()), drawn.current.value)) redraw({})
    }
    update()
    return store.subscribe(update)
  }, [store])
  return value
}
