import MiniSearch from 'minisearch'
import { searchOptions } from '../searchOptions.ts'

declare global {
  interface Window {
    /** The index that `search.js` sets. */
    searchIndex?: string
  }
}

const mostResults = 12

/** Loads the index on first use. A script, because a page that was opened as a file may not fetch. */
const loadIndex = (root: string): Promise<MiniSearch> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `${root}search.js`
    script.onload = () => resolve(MiniSearch.loadJSON(window.searchIndex ?? '', searchOptions))
    script.onerror = () => reject(new Error('search.js is missing'))
    document.head.append(script)
  })

/** Shows the parts of pages that have all words of the search field. */
export const enableSearch = (root: string): void => {
  const input = document.querySelector<HTMLInputElement>('#search')
  const results = document.querySelector<HTMLElement>('#results')
  if (input === null || results === null) return
  let index: Promise<MiniSearch> | undefined

  const show = async (): Promise<void> => {
    index ??= loadIndex(root)
    const query = input.value.trim()
    const found = query === '' ? [] : (await index).search(query)
    if (query !== input.value.trim()) return
    const items = found.slice(0, mostResults).map(({ id, title, page, excerpt }) => {
      const item = document.createElement('li')
      const link = document.createElement('a')
      link.href = `${root}${id}`
      const name = document.createElement('strong')
      name.textContent = title === page ? title : `${title} · ${page}`
      const text = document.createElement('span')
      text.textContent = excerpt
      link.append(name, text)
      item.append(link)
      return item
    })
    if (query !== '' && items.length === 0) {
      const none = document.createElement('li')
      none.textContent = `Nothing found for “${query}”`
      items.push(none)
    }
    results.replaceChildren(...items)
    results.hidden = query === ''
  }

  /** Moves the focus between the field and the results. */
  const move = (by: number): void => {
    const stops: HTMLElement[] = [input, ...results.querySelectorAll('a')]
    const at = stops.indexOf(document.activeElement as HTMLElement) // one of the stops, or -1
    stops[Math.min(Math.max(at + by, 0), stops.length - 1)]?.focus()
  }

  input.addEventListener('input', () => void show())
  input.addEventListener('focus', () => void show())
  document.addEventListener('keydown', (event) => {
    const isInside = event.target instanceof Element && event.target.closest('.search') !== null
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
    if (event.key === '/' && !isTyping) input.focus()
    else if (event.key === 'Escape' && isInside) {
      results.hidden = true
      input.blur()
    } else if (event.key === 'ArrowDown' && isInside) move(1)
    else if (event.key === 'ArrowUp' && isInside) move(-1)
    else if (event.key === 'Enter' && event.target === input) results.querySelector('a')?.click()
    else return
    event.preventDefault()
  })
  document.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('.search') === null) results.hidden = true
    else if (event.target instanceof Element && event.target.closest('#results a') !== null)
      results.hidden = true
  })
}
