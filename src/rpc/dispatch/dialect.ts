import type { RpcError } from '../errors.ts'

/** What a server does with calls, results and errors in its own way: it may run in the place of another program. */
export interface Dialect {
  /** Called before a call from outside this process is run. */
  onCall(method: string): void
  /** Returns the error as the other program words it. */
  toError?(error: RpcError): RpcError
  /** Returns the JSON of a method's result as the other program gives it. */
  toResult?(method: string, json: string): string
}
