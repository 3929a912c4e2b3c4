/** A value, or the promise of one. Callers need not wait for the event loop if the value is available. */
export type MaybePromise<T> = T | Promise<T>
