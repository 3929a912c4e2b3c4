import type { ClientConnection } from '../base/notification.ts'
import type { Caller } from './access/access.ts'
import type { Access, WorkClass } from './methodKinds.ts'
import type { RawJson, StreamedResult } from './rawJson.ts'
import type { WireType } from './wireType.ts'

export interface Param<T = unknown, Required extends boolean = boolean, Name extends string = string> {
  readonly name: Name
  readonly about: string
  readonly type: WireType<T>
  /** If false, the argument may be missing or null, and the handler gets undefined. */
  readonly required: Required
  /** Whether it is a passphrase or a key, whose value never appears in an error or a log. */
  readonly secret: boolean
}

export const param = <T, const Name extends string>(
  name: Name,
  type: WireType<T>,
  about: string,
): Param<T, true, Name> => Object.freeze({ name, type, about, required: true, secret: false })

export const optionalParam = <T, const Name extends string>(
  name: Name,
  type: WireType<T>,
  about: string,
): Param<T, false, Name> => Object.freeze({ name, type, about, required: false, secret: false })

export const secretParam = <T, const Name extends string>(
  name: Name,
  type: WireType<T>,
  about: string,
): Param<T, true, Name> => Object.freeze({ name, type, about, required: true, secret: true })

export const optionalSecretParam = <T, const Name extends string>(
  name: Name,
  type: WireType<T>,
  about: string,
): Param<T, false, Name> => Object.freeze({ name, type, about, required: false, secret: true })

/** The decoded arguments, one for each parameter. */
export type Args<Params extends readonly Param[]> = {
  readonly [I in keyof Params]: Params[I] extends Param<infer T, infer Required>
    ? Required extends true
      ? T
      : T | undefined
    : never
}

/** What a handler can use beside its arguments: the caller, the abort signal and the connection. */
export interface CallScope {
  readonly caller: Caller
  /** Aborts at the deadline of the call or when the client disconnects. */
  readonly signal: AbortSignal
  /** The milliseconds in which the call must have its response, so that the response is in time. */
  readonly answerWithinMs: number
  /** The connection of the client; undefined over HTTP. */
  readonly connection: ClientConnection | undefined
  /** Calls `listener` when the response was sent; for a call of a batch, that of the whole batch. */
  afterResponse(listener: () => void): void
  /** Counts memory that the call holds until its response is written; throws if too much is under way. */
  hold(bytes: number): void
}

export interface MethodExample {
  readonly name: string
  readonly params: readonly unknown[]
  readonly result: unknown
}

/** One JSON-RPC method with its name, access, parameters, result and handler. */
export interface Method<Context> {
  readonly name: string
  readonly summary: string
  readonly access: Access
  /** The class of its work; cheap if it is missing. */
  readonly work?: WorkClass
  /** Returns the class in whose queue a call waits, where that depends on its arguments. */
  readonly workOf?: (args: readonly unknown[], context: Context) => WorkClass
  readonly params: readonly Param[]
  readonly result: { readonly name: string; readonly type: WireType<unknown> }
  readonly examples: readonly MethodExample[]
  /**
   * Whether consecutive calls of it in a batch start without waiting for each other, because the handler keeps their
   * order.
   */
  readonly isPipelined?: boolean
  /** Whether `params` may be an object, which is its first parameter then. */
  readonly takesObject?: true
  // The arguments' types are checked where the method is written (defineMethod); here they are erased.
  // `given` are the parameters as they came, for a handler that passes the call on.
  readonly handler: (
    args: readonly unknown[],
    context: Context,
    scope: CallScope,
    given?: readonly unknown[],
  ) => unknown
}

/** A method as it is written, with the types of its parameters and of its result. */
export interface MethodDefinition<Context, Params extends readonly Param[], Result>
  extends Omit<Method<Context>, 'params' | 'result' | 'handler' | 'workOf'> {
  readonly params: Params
  readonly result: { readonly name: string; readonly type: WireType<Result> }
  readonly workOf?: (args: Args<Params>, context: Context) => WorkClass
  readonly handler: (
    args: Args<Params>,
    context: Context,
    scope: CallScope,
  ) => NoInfer<Result> | RawJson | StreamedResult | Promise<NoInfer<Result> | RawJson | StreamedResult>
}

/** Returns the function that defines methods whose handlers take this context. */
export const defineMethod =
  <Context>() =>
  <const Params extends readonly Param[], Result>(
    definition: MethodDefinition<Context, Params, Result>,
  ): Method<Context> =>
    // Sound: the dispatcher decodes the arguments with these very params and encodes with this very result type.
    Object.freeze(definition) as unknown as Method<Context>
