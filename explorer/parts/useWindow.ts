import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Rows that are drawn beyond what is seen, and by which the part that is drawn moves. */
const spare = 25
/** Lists up to this many rows are drawn whole. */
const wholeUpTo = 100
/** A guess until a row can be measured. */
const usualHeight = 37

export interface RowWindow {
  readonly body: RefObject<HTMLTableSectionElement | null>
  readonly from: number
  readonly to: number
  /** The height of the rows before and after, which are not drawn. */
  readonly above: number
  readonly below: number
}

/** Which rows of a long table are drawn: those around what is seen, so that a thousand scroll like ten. */
export const useWindow = (count: number): RowWindow => {
  const body = useRef<HTMLTableSectionElement>(null)
  const height = useRef(usualHeight)
  const [first, setFirst] = useState(0)
  const isLong = count > wholeUpTo
  useEffect(() => {
    if (!isLong) return
    let frame = 0
    const look = (): void => {
      frame = 0
      const table = body.current
      if (table === null) return
      height.current = table.querySelector<HTMLElement>('tr[data-row]')?.offsetHeight || height.current
      const seen = Math.floor(-table.getBoundingClientRect().top / height.current)
      setFirst(Math.max(0, Math.floor(seen / spare) * spare))
    }
    const later = (): void => {
      frame ||= requestAnimationFrame(look)
    }
    later()
    addEventListener('scroll', later, { passive: true })
    addEventListener('resize', later)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', later)
      removeEventListener('resize', later)
    }
  }, [isLong])
  if (!isLong) return { body, from: 0, to: count, above: 0, below: 0 }
  const shown = Math.ceil(innerHeight / height.current)
  const from = Math.max(0, Math.min(first - spare, count - 1))
  const to = Math.min(count, first + shown + 2 * spare)
  return { body, from, to, above: from * height.current, below: (count - to) * height.current }
}
