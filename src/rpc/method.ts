import type { Outlet } from '../base/notice.ts'
import type { Caller } from './access/access.ts'
import type { LongJson, RawJson } from './json.ts'
import type { Wire } from './wire.ts'

/** Who may call a method: see `access.ts`. */
export type Access = 'public' | 'private' | 'signing'

export interface Param<T = unknown, Required extends boolean = boolean> {
  readonly name: string
  readonly about: string
  readonly type: Wire<T>
  /** False: may be missing or null; the handler then gets undefined. */
  readonly required: Required
  /** A passphrase or a key: its value never appears in an error or a log. */
  readonly secret: boolean
}

export const param = <T>(name: string, type: Wire<T>, about: string): Param<T, true> =>
  Object.freeze({ name, type, about, required: true, secret: false })

export const optionalParam = <T>(name: string, type: Wire<T>, about: string): Param<T, false> =>
  Object.freeze({ name, type, about, required: false, secret: false })

export const secretParam = <T>(name: string, type: Wire<T>, about: string): Param<T, true> =>
  Object.freeze({ name, type, about, required: true, secret: true })

/** The decoded arguments, one for each parameter. */
export type Args<Params extends readonly Param[]> = {
  readonly [I in keyof Params]: Params[I] extends Param<infer T, infer Required>
    ? Required extends true
      ? T
      : T | undefined
    : never
}

/** What a handler knows of the call beside its arguments. */
export interface CallScope {
  readonly caller: Caller
  /** Aborts when the call's time is up or the client is gone. */
  readonly signal: AbortSignal
  /** The way to a client that stays connected; over HTTP there is none. */
  readonly outlet: Outlet | undefined
  /** Calls back when the answer was sent, that of the whole batch where the call is in one. */
  afterAnswer(listener: () => void): void
}

export interface Example {
  readonly name: string
  readonly params: readonly unknown[]
  readonly result: unknown
}

/** One JSON-RPC method: name, access, parameters, result and what it does, in one place. */
export interface Method<Context> {
  readonly name: string
  readonly summary: string
  readonly access: Access
  readonly params: readonly Param[]
  readonly result: { readonly name: string; readonly type: Wire<unknown> }
  readonly examples: readonly Example[]
  /** Calls of it that follow each other in a batch begin without waiting for the ones before: it keeps their order. */
  readonly overlaps?: boolean
  // The arguments' types are checked where the method is written (defineMethod); here they are erased.
  readonly handler: (args: readonly unknown[], context: Context, scope: CallScope) => unknown
}

export interface MethodDefinition<Context, Params extends readonly Param[], Result> {
  readonly name: string
  readonly summary: string
  readonly access: Access
  readonly params: Params
  readonly result: { readonly name: string; readonly type: Wire<Result> }
  readonly examples: readonly Example[]
  readonly overlaps?: boolean
  readonly handler: (
    args: Args<Params>,
    context: Context,
    scope: CallScope,
  ) => NoInfer<Result> | RawJson | LongJson | Promise<NoInfer<Result> | RawJson | LongJson>
}

/** Gives `method(…)` for handlers that take this context. */
export const defineMethod =
  <Context>() =>
  <const Params extends readonly Param[], Result>(
    definition: MethodDefinition<Context, Params, Result>,
  ): Method<Context> =>
    // Sound: the dispatcher decodes the arguments with these very params and encodes with this very result type.
    Object.freeze(definition) as unknown as Method<Context>

/** `eth` of `eth_call`, `rpc` of `rpc.discover`. */
export const namespaceOf = (name: string): string => name.split(/[_.]/, 1)[0] as string
