import { useEffect, useRef } from 'preact/hooks'
import { addKey, type KeyAction } from './keyboard.ts'

/** Has keys do something while a view is shown: what the view that is drawn says, also before its effects have run. */
export const useKeys = (keys: readonly KeyAction[], deps: readonly unknown[]): void => {
  const drawn = useRef(keys)
  drawn.current = keys
  useEffect(() => {
    const removals = keys.map(({ key, text }) =>
      addKey({ key, text, run: () => drawn.current.find((action) => action.key === key)?.run() }),
    )
    return () => {
      for (const remove of removals) remove()
    }
  }, deps)
}
