import type { ComponentChild, ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../texts/texts.ts'
import { Problem } from './problem.tsx'

/** A view whose code is loaded when it is first shown. */
export const lazy = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> => {
  let loaded: ComponentType<Props> | undefined
  return (props: Props): ComponentChild => {
    const [View, setView] = useState<ComponentType<Props> | undefined>(() => loaded)
    const [error, setError] = useState<unknown>()
    useEffect(() => {
      if (View !== undefined) return
      load().then((view) => {
        loaded = view
        setView(() => view)
      }, setError)
    }, [])
    if (error !== undefined) return <Problem error={error} onRetry={() => location.reload()} />
    return View === undefined ? <p class="loading">{texts.loading}</p> : <View {...props} />
  }
}
