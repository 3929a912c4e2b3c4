import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { texts } from '../texts/texts.ts'

interface PagedProps<Item> {
  readonly list: readonly Item[]
  /** How many are shown at first, and how many more with each wish for more. */
  readonly first: number
  readonly step: number
  readonly children: (shown: readonly Item[]) => ComponentChildren
}

/** The beginning of a list that may be long, and more of it for those who ask. */
export const Paged = <Item,>({ list, first, step, children }: PagedProps<Item>) => {
  const [count, setCount] = useState(first)
  return (
    <>
      {children(list.slice(0, count))}
      {count < list.length && (
        <button type="button" class="button" onClick={() => setCount(count + step)}>
          {texts.more}
        </button>
      )}
    </>
  )
}
