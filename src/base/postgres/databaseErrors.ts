/** Thrown if the database did not do what it was asked, for a reason that passes: it is away, too slow, full, or starting. */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError'
}

/** Thrown if the database rejects a statement for what it is, with the code of the SQL standard. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * What an error says: whether the connections are of use no more (`gone`), this call failed for a reason that passes
 * (`busy`), it may be made again at once (`again`), or it is wrong (`wrong`).
 */
type Verdict = 'gone' | 'busy' | 'again' | 'wrong'

/** By the first characters of the server's code, the longest that fits. */
const verdicts: Readonly<Record<string, Verdict>> = {
  '08': 'gone',
  '57P': 'gone',
  // The server is a standby, or its disk is read-only: another host may be the primary.
  '25006': 'gone',
  // It has no connection left for us.
  '53300': 'gone',
  // Who we are, or which database it is: an operator fixes that, and it is retried until then.
  '28': 'gone',
  '3D000': 'gone',
  // No room, no memory, its disk fails, a lock was held for too long, a statement took too long.
  '53': 'busy',
  '58': 'busy',
  '55P03': 'busy',
  '57014': 'busy',
  '40': 'again',
}

const isServerError = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && error.name === 'PostgresError'

export const verdictOf = (error: unknown): Verdict => {
  if (error instanceof DatabaseAwayError) return 'busy'
  if (error instanceof DatabaseError) return 'wrong'
  if (isServerError(error)) {
    const { code } = error
    return [5, 3, 2].map((length) => verdicts[code.slice(0, length)]).find((found) => found) ?? 'wrong'
  }
  // Node's errors of sockets and TLS, and the client's own about connections, have a code that is a word.
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? 'gone' : 'wrong'
}

/** Returns an error of ours for one of the client, which carries statements and parameters that nobody must see. */
export const toDatabaseError = (error: unknown, clean: (text: string) => string): Error => {
  if (error instanceof DatabaseAwayError || error instanceof DatabaseError) return error
  if (verdictOf(error) !== 'wrong') return new DatabaseAwayError(clean(reasonOf(error)))
  if (isServerError(error)) return new DatabaseError(error.code, clean(error.message))
  return error as Error // what the work itself threw
}

const reasonOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException
  // Node's error of several addresses has no message.
  return (message || code || 'no reason is known').replace(/^write (?=CONNECT)/, '')
}
