/** Thrown by what only the main process knows: the pool, the engine, the pending block. The request is passed on to it. */
export class ElsewhereError extends Error {
  override readonly name = 'ElsewhereError'
}

export const failElsewhere = (): never => {
  throw new ElsewhereError('only the main process knows')
}

/** Returns a part of which nothing can be read here. Whoever tries gets an `ElsewhereError`. */
export const elsewhere = <T extends object>(): T =>
  // Sound: no member is ever returned.
  new Proxy({}, { get: failElsewhere, has: failElsewhere }) as T
