/** Error codes of the SDK's code space, with the text that it appends to a message. */
const sdkErrors = {
  unknownRequest: [6, 'unknown request'],
  invalidRequest: [18, 'invalid request'],
  keyNotFound: [22, 'key not found'],
  invalidHeight: [26, 'invalid height'],
  notFound: [38, 'not found'],
} as const

/** Thrown to answer a query with an error code. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
  readonly code: number
  readonly codespace: string

  constructor(code: number, codespace: string, message: string) {
    super(message)
    this.code = code
    this.codespace = codespace
  }
}

export const sdkError = (kind: keyof typeof sdkErrors, message: string): QueryError => {
  const [code, words] = sdkErrors[kind]
  return new QueryError(code, 'sdk', `${message}: ${words}`)
}

/** Returns the error of a module in the form in which the SDK forwards it: a gRPC status inside an SDK error. */
export const invalidArgumentError = (message: string): QueryError =>
  sdkError('invalidRequest', `rpc error: code = InvalidArgument desc = ${message}`)

export const futureHeightError = (): QueryError =>
  sdkError('invalidHeight', 'cannot query with height in the future; please provide a valid height')

export const prunedHeightError = (height: number, reason: string, newest: number): QueryError =>
  sdkError('notFound', `failed to load state at height ${height}; ${reason} (latest height: ${newest})`)
