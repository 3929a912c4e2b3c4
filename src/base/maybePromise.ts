/** A value that is there at once, or will be. */
export type MaybePromise<T> = T | Promise<T>
