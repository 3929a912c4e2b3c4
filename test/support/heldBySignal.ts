import { getEventListeners } from 'node:events'

const dependantsOf = (signal: AbortSignal): number =>
  Object.getOwnPropertySymbols(signal)
    .filter(({ description }) => description === 'kDependantSignals')
    .map((symbol) => (signal as unknown as Record<symbol, Set<unknown> | undefined>)[symbol]?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)

/** Returns everything that a signal holds on to: listeners, and signals that were combined with it. */
export const heldBy = (signal: AbortSignal): number => {
  const control = new AbortController()
  AbortSignal.any([control.signal])
  // The name is Node's own: under another one nothing would ever be counted.
  if (dependantsOf(control.signal) !== 1)
    throw new Error('this Node.js does not show what is combined with a signal')
  return getEventListeners(signal, 'abort').length + dependantsOf(signal)
}
