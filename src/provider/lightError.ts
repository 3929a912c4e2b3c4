/** The codes of errors, as nodes have them. */
export const codes = {
  invalidParams: -32602,
  methodNotFound: -32601,
  failed: -32000,
  unavailable: -32002,
  unsupported: -32004,
  limitExceeded: -32005,
  reverted: 3,
} as const

/** An error that `request` throws, with `code`, `message` and `data` as JSON-RPC has them. */
export class LightError extends Error {
  override readonly name: string = 'LightError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const invalidParams = (why: string): LightError => new LightError(codes.invalidParams, why)
export const headerNotFound = (): LightError => new LightError(codes.failed, 'header not found')
export const unavailable = (why: string): LightError => new LightError(codes.unavailable, why)
export const unsupported = (why: string): LightError => new LightError(codes.unsupported, why)
export const limitExceeded = (why: string, data?: unknown): LightError =>
  new LightError(codes.limitExceeded, why, data)
