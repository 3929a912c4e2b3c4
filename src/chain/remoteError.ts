/** An error with which a remote node answered a request that was passed on to it, to be answered as it is. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}
