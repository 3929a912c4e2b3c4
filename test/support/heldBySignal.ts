import { getEventListeners } from 'node:events'

/** Returns everything that a signal holds on to: listeners, and signals that were combined with it. */
export const heldBy = (signal: AbortSignal): number => {
  const dependants = Object.getOwnPropertySymbols(signal)
    .filter(({ description }) => description === 'kDependantSignals')
    .map((symbol) => (signal as unknown as Record<symbol, Set<unknown> | undefined>)[symbol]?.size ?? 0)
  return getEventListeners(signal, 'abort').length + dependants.reduce((sum, size) => sum + size, 0)
}
