import { type Args, defineMethod, type Method, type MethodDefinition, type Param } from '../rpc/method.ts'
import type { ApiContext } from './context.ts'

/**
 * Which process answers a call: the main process alone; any serving process, from the store; or the process that has the
 * client's connection, and the main process if that one does not know what is named.
 */
export type Answerer = 'main' | 'serving' | 'connection'

type AnsweredBy<Arguments> = Answerer | ((args: Arguments) => Exclude<Answerer, 'connection'>)

/**
 * What a parameter names. If it lies below the fork, the remote of a forked chain answers. Such a call is passed
 * on as it came, and the response is checked.
 */
export type BelowFork<Name extends string = string> =
  /**
   * A block. All up to the fork block are the remote's. `answer` says what the method gives: the block itself, which is checked
   * by its number and hash, or one item of it, which may be missing.
   */
  | { readonly kind: 'block'; readonly param: Name; readonly answer?: 'block' | 'item' }
  /** The state after a block. That of the fork block may be changed here. */
  | { readonly kind: 'state'; readonly param: Name }
  /** A transaction by its hash. `answer` says whether the method gives it or its receipt, which is checked by that hash. */
  | { readonly kind: 'transaction'; readonly param: Name; readonly answer?: 'transaction' }
  /** Logs, of one block if the filter names it by its hash. */
  | { readonly kind: 'logs'; readonly param: Name }
  /** Nothing: the method needs the root or all accounts of a state. A forked chain has only what was read or changed. */
  | { readonly kind: 'refused'; readonly needs: 'root' | 'accounts' }

/** A method of this service: one of JSON-RPC, and who answers it where there are more processes or chains than one. */
export interface ApiMethod extends Method<ApiContext> {
  /** The main process if it is missing. */
  readonly answeredBy?: AnsweredBy<readonly unknown[]>
  /** If it is missing, a forked chain answers from what it has itself. */
  readonly belowFork?: BelowFork
}

/** A method as it is written, with the types of its parameters and of its result. */
export interface ApiMethodDefinition<Params extends readonly Param[], Result>
  extends MethodDefinition<ApiContext, Params, Result> {
  readonly answeredBy?: AnsweredBy<Args<Params>>
  readonly belowFork?: BelowFork<Params[number]['name']>
}

const define = defineMethod<ApiContext>()

export const method = <const Params extends readonly Param[], Result>(
  definition: ApiMethodDefinition<Params, Result>,
): ApiMethod =>
  // Sound: the same object, whose arguments are decoded by these very params.
  define(definition) as ApiMethod

/** A method that every client may call. */
export const publicMethod = <const Params extends readonly Param[], Result>(
  definition: Omit<ApiMethodDefinition<Params, Result>, 'access'>,
): ApiMethod => method<Params, Result>({ access: 'public', ...definition })

/** A method that every client may call and every serving process answers, from the store. */
export const servedMethod = <const Params extends readonly Param[], Result>(
  definition: Omit<ApiMethodDefinition<Params, Result>, 'access' | 'answeredBy'>,
): ApiMethod => method<Params, Result>({ access: 'public', answeredBy: 'serving', ...definition })

/** A method for operators alone. */
export const privateMethod = <const Params extends readonly Param[], Result>(
  definition: Omit<ApiMethodDefinition<Params, Result>, 'access'>,
): ApiMethod => method<Params, Result>({ access: 'private', ...definition })
