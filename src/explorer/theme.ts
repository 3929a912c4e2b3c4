import { createStore } from './store.ts'

export type Theme = 'auto' | 'light' | 'dark'

const key = 'perihelion.theme'

const readTheme = (): Theme => {
  const kept = localStorage.getItem(key)
  return kept === 'light' || kept === 'dark' ? kept : 'auto'
}

export const theme = createStore<Theme>('auto')

export const setTheme = (next: Theme): void => {
  theme.set(next)
  document.documentElement.dataset.theme = next
  if (next === 'auto') localStorage.removeItem(key)
  else localStorage.setItem(key, next)
}

export const startTheme = (): void => setTheme(readTheme())

const order: readonly Theme[] = ['auto', 'light', 'dark']

export const nextTheme = (): Theme => order[(order.indexOf(theme.get()) + 1) % order.length] as Theme
