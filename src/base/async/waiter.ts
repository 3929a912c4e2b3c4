/** Who waits for a response: a signal, or who makes one when it is needed. Most answers are there before that. */
export type Waiter = AbortSignal | { readonly signal: AbortSignal }

export const signalOf = (waiter: Waiter): AbortSignal =>
  waiter instanceof AbortSignal ? waiter : waiter.signal
