import { keepText, keptText } from '../state/browserStore.ts'
import { createStore } from '../state/store.ts'

export type Theme = 'auto' | 'light' | 'dark'

const key = 'perihelion.theme'

const readTheme = (): Theme => {
  const kept = keptText(key)
  return kept === 'light' || kept === 'dark' ? kept : 'auto'
}

export const theme = createStore<Theme>('auto')

export const setTheme = (next: Theme): void => {
  theme.set(next)
  document.documentElement.dataset.theme = next
  keepText(key, next === 'auto' ? undefined : next)
}

export const startTheme = (): void => setTheme(readTheme())

const order: readonly Theme[] = ['auto', 'light', 'dark']

export const nextTheme = (): Theme => order[(order.indexOf(theme.get()) + 1) % order.length] as Theme
