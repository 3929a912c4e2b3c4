import { useEffect } from 'preact/hooks'
import { addKey, type KeyAction } from './keyboard.ts'

/** Has keys do something while a view is shown. */
export const useKeys = (keys: readonly KeyAction[], deps: readonly unknown[]): void =>
  useEffect(() => {
    const removals = keys.map(addKey)
    return () => {
      for (const remove of removals) remove()
    }
  }, deps)
