/** A call that the node rejected, or that did not reach it. */
export class RpcFailure extends Error {
  readonly method: string
  /** The code of JSON-RPC; undefined if no response came. */
  readonly code: number | undefined
  /** The status of HTTP where that is what failed. */
  readonly status: number | undefined
  readonly data: unknown

  constructor(
    method: string,
    message: string,
    {
      code,
      status,
      data,
    }: { readonly code?: number; readonly status?: number; readonly data?: unknown } = {},
  ) {
    super(message)
    this.name = 'RpcFailure'
    this.method = method
    this.code = code
    this.status = status
    this.data = data
  }

  /** The namespace that is off, if that is why the call was rejected. */
  get missingNamespace(): string | undefined {
    return this.code === -32601 ? namespaceOf(this.method) : undefined
  }

  /** Whether the chain cannot have what was requested, as a chain of one process has no validators. */
  get isUnsupported(): boolean {
    return this.code === -32004
  }
}

export const namespaceOf = (method: string): string => method.split(/[_.]/, 1)[0] as string

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
