/** What the keys do; views add their own while they are shown. */
export interface KeyAction {
  readonly key: string
  readonly text: string
  readonly run: () => void
}

const actions: KeyAction[] = []

/** Adds an action and returns what removes it. The newest for a key counts. */
export const addKey = (action: KeyAction): (() => void) => {
  actions.push(action)
  return () => void actions.splice(actions.indexOf(action), 1)
}

/** The actions that count now, for the list of keys. */
export const currentKeys = (): readonly KeyAction[] => [
  ...new Map(actions.map((action) => [action.key, action])).values(),
]

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Whether the key scrolls what has the focus, which nothing else would do without a mouse. */
const scrolls = (key: string, target: EventTarget | null): boolean =>
  (key === 'ArrowLeft' || key === 'ArrowRight') &&
  target instanceof HTMLElement &&
  target.scrollWidth > target.clientWidth &&
  /^(?:auto|scroll)$/.test(getComputedStyle(target).overflowX)

/** Moves the focus to the next or the previous link of the main table. */
export const moveRow = (step: 1 | -1): void => {
  const links = [...document.querySelectorAll<HTMLElement>('main tbody tr')]
    .map((row) => row.querySelector<HTMLElement>('a'))
    .filter((link) => link !== null)
  const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement))
  links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus()
}

export const startKeyboard = (): void =>
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (document.querySelector('dialog[open]') !== null || scrolls(event.key, event.target)) return
    const action = currentKeys().find(({ key }) => key === event.key)
    if (action === undefined) return
    event.preventDefault()
    action.run()
  })
