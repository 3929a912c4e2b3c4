import type { RpcError } from '../errors.ts'

/** How a server answers in the words of another program, in whose place it runs. */
export interface Dialect {
  /** Called before a call from outside this process is run. */
  onCall(method: string): void
  /** Returns the error as the other program words it. */
  toError(error: RpcError): RpcError
}
