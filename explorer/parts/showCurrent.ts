/** Scrolls a row of links or tabs, and nothing else, so that the current one is seen: on a phone not all have room. */
export const showCurrent = (row: HTMLElement | null, selector: string): void => {
  const current = row?.querySelector<HTMLElement>(selector)
  if (!row || !current) return
  const from = current.offsetLeft - row.offsetLeft
  const isSeen = from >= row.scrollLeft && from + current.offsetWidth <= row.scrollLeft + row.clientWidth
  if (!isSeen) row.scrollLeft = from - (row.clientWidth - current.offsetWidth) / 2
}
