import { newLongSlice, runInSlices, type Slice } from '../../base/threads/timeSlice.ts'
import { type AccessRules, checkAccess } from '../access/access.ts'
import { RpcError, requestTimedOut } from '../errors.ts'
import type { Method } from '../method.ts'
import type { WorkClass } from '../methodKinds.ts'
import type { RpcMetrics } from '../metrics.ts'
import { RawJson, StreamedResult } from '../rawJson.ts'
import type { Dialect } from './dialect.ts'
import { type Call, notByPosition } from './envelope.ts'
import type { InternalErrors } from './internalErrors.ts'
import { decodeLongParams, decodeParams } from './params.ts'
import type { RequestScope } from './requestScope.ts'
import { isMethod, type MethodTable } from './table.ts'
import type { WorkLimiter, WorkLimiters } from './workLimiter.ts'

/** The JSON of a call's result, or the error of its response. */
export type Outcome = string | RawJson | StreamedResult | RpcError

/** The interface through which the request handler runs calls. It does not depend on the context of the methods. */
export interface CallDispatcher {
  dispatch(call: Call, scope: RequestScope): Outcome | Promise<Outcome>
  /** Returns whether the next call of a batch may start before this one has ended, if it has the same method. */
  overlaps(call: Call): boolean
}

export interface DispatcherOptions<Context> {
  readonly table: MethodTable<Context>
  readonly context: Context
  readonly rules: AccessRules
  /** Converts an error that only the methods know to its response; returns undefined for every other error. */
  readonly toRpcError?: ((error: unknown) => RpcError | undefined) | undefined
  readonly dialect?: Dialect | undefined
}

export interface DispatcherDependencies {
  /** Shared by all transports of a server. */
  readonly limiters: WorkLimiters
  readonly metrics: RpcMetrics
  readonly internalErrors: InternalErrors
  /** Creates the slices in which long parameters are decoded. */
  readonly newSlice?: (() => Slice) | undefined
}

/** Runs one call of the method table: checks access, decodes arguments, runs the handler, encodes, counts. */
export class Dispatcher<Context> implements CallDispatcher {
  readonly #table: MethodTable<Context>
  readonly #context: Context
  readonly #rules: AccessRules
  readonly #toKnownError: (error: unknown) => RpcError | undefined
  readonly #dialect: Dialect | undefined
  readonly #limiters: WorkLimiters
  readonly #metrics: RpcMetrics
  readonly #internalErrors: InternalErrors
  readonly #newSlice: () => Slice

  constructor(options: DispatcherOptions<Context>, dependencies: DispatcherDependencies) {
    this.#table = options.table
    this.#context = options.context
    this.#rules = options.rules
    this.#toKnownError = options.toRpcError ?? (() => undefined)
    this.#dialect = options.dialect
    this.#limiters = dependencies.limiters
    this.#metrics = dependencies.metrics
    this.#internalErrors = dependencies.internalErrors
    this.#newSlice = dependencies.newSlice ?? newLongSlice
  }

  /**
   * Returns the outcome at once if the handler does, so that a cheap call does not wait for the event loop. Whatever is
   * thrown on the way is an outcome too.
   */
  dispatch(call: Call, scope: RequestScope): Outcome | Promise<Outcome> {
    const startedAt = performance.now()
    const method = this.#table.find(call.method)
    // Every call is charged, whatever becomes of it.
    const refusal = scope.caller.key?.charge(isMethod(method) ? method : { name: call.method })
    if (refusal !== undefined) return this.#finish(isMethod(method) ? method : undefined, refusal, startedAt)
    if (call.isByName && !(isMethod(method) && method.takesObject))
      return this.#finish(isMethod(method) ? method : undefined, notByPosition(), startedAt)
    if (!isMethod(method)) return this.#finish(undefined, method, startedAt)
    if (scope.caller.transport !== 'in-process') this.#dialect?.onCall(method.name)
    try {
      if (method.access !== 'public') {
        const rejection = checkAccess(method.access, method.name, scope.caller, this.#rules, Date.now())
        if (rejection !== undefined) return this.#finish(method, rejection, startedAt)
      }
      if (call.isLong === true) return this.#dispatchLong(method, call, scope, startedAt)
      const args = decodeParams(method, call.params)
      if (args instanceof RpcError) return this.#finish(method, args, startedAt)
      const limiter = this.#limiterOf(method, args)
      if (limiter === undefined || limiter.isOpen)
        return this.#run(method, args, call, scope, startedAt, limiter)
      return this.#runInTurn(limiter, method, args, call, scope, startedAt)
    } catch (error) {
      return this.#finish(method, this.#toRpcError(method, error), startedAt)
    }
  }

  #runInTurn(
    limiter: WorkLimiter,
    method: Method<Context>,
    args: readonly unknown[],
    call: Call,
    scope: RequestScope,
    startedAt: number,
  ): Promise<Outcome> {
    return new Promise((resolve) =>
      limiter.wait(
        scope,
        () => resolve(this.#run(method, args, call, scope, startedAt, limiter)),
        (error) => resolve(this.#finish(method, error, startedAt)),
      ),
    )
  }

  /**
   * Dispatches a call whose parameters are decoded in slices. Decoding is work of the method's class: it waits for a permit of
   * it, and the time that it takes of this thread is that of the class.
   */
  async #dispatchLong(
    method: Method<Context>,
    call: Call,
    scope: RequestScope,
    startedAt: number,
  ): Promise<Outcome> {
    const ofMethod = this.#limiterFor(method.work)
    try {
      const refused = ofMethod && (await enterInTurn(ofMethod, scope))
      if (refused !== undefined) return this.#finish(method, refused, startedAt)
      const args = await this.#decodeLong(method, call, scope, ofMethod)
      if (args instanceof RpcError) return this.#finish(method, args, startedAt)
      const limiter = this.#limiterOf(method, args)
      // What was decoded in its class has waited for it.
      if (limiter !== undefined && limiter !== ofMethod)
        return await this.#runInTurn(limiter, method, args, call, scope, startedAt)
      return await this.#run(method, args, call, scope, startedAt, limiter)
    } catch (error) {
      return this.#finish(method, this.#toRpcError(method, error), startedAt)
    }
  }

  /** Decodes the parameters of a call that has a permit, and gives the permit back. */
  async #decodeLong(
    method: Method<Context>,
    { params }: Call,
    scope: RequestScope,
    limiter: WorkLimiter | undefined,
  ): Promise<readonly unknown[] | RpcError> {
    try {
      const work = decodeLongParams(method, params)
      const args = await runInSlices(
        work,
        this.#newSlice(),
        () => scope.isOver,
        (milliseconds) => limiter?.spend(milliseconds),
      )
      return args ?? requestTimedOut()
    } finally {
      limiter?.leave()
    }
  }

  #limiterOf({ work, workOf }: Method<Context>, args: readonly unknown[]): WorkLimiter | undefined {
    return this.#limiterFor(workOf === undefined ? work : workOf(args, this.#context))
  }

  #limiterFor(work: WorkClass | undefined): WorkLimiter | undefined {
    return work === undefined || work === 'cheap' ? undefined : this.#limiters[work]
  }

  /**
   * Runs a call. One of a class that is limited holds a permit until its work has ended, whether anybody waits for it or
   * not.
   */
  #run(
    method: Method<Context>,
    args: readonly unknown[],
    call: Call,
    scope: RequestScope,
    startedAt: number,
    limiter: WorkLimiter | undefined,
  ): Outcome | Promise<Outcome> {
    const began = limiter === undefined ? startedAt : performance.now()
    limiter?.enter()
    let outcome: Outcome | Promise<Outcome>
    try {
      const result = method.handler(args, this.#context, scope, call.params)
      if (result instanceof Promise) {
        if (limiter !== undefined) result.then(limiter.leave, limiter.leave)
        outcome = this.#settle(method, result, scope, startedAt)
      } else {
        outcome = this.#finish(method, this.#encode(method, result), startedAt)
        limiter?.leave()
      }
    } catch (error) {
      outcome = this.#finish(method, this.#toRpcError(method, error), startedAt)
      limiter?.leave()
    }
    limiter?.spend(performance.now() - began)
    return outcome
  }

  #settle(
    method: Method<Context>,
    result: Promise<unknown>,
    scope: RequestScope,
    startedAt: number,
  ): Promise<Outcome> {
    return scope.race(result).then(
      (value) => this.#finish(method, this.#encode(method, value), startedAt),
      (error: unknown) => this.#finish(method, this.#toRpcError(method, error), startedAt),
    )
  }

  overlaps({ method }: Call): boolean {
    const found = this.#table.find(method)
    return isMethod(found) && found.isPipelined === true
  }

  #encode(method: Method<Context>, value: unknown): Outcome {
    if (value instanceof RawJson || value instanceof StreamedResult) return value
    try {
      const { type } = method.result
      const json = type.encodeJson?.(value) ?? JSON.stringify(type.encode(value))
      if (json !== undefined) return json
      throw new TypeError('the handler returned nothing')
    } catch (error) {
      return this.#toRpcError(method, error)
    }
  }

  /** Returns the response for a thrown error. An unknown error is logged and shown to the client as an internal one. */
  #toRpcError(method: Method<Context>, error: unknown): RpcError {
    if (error instanceof RpcError) return error
    const known = this.#toKnownError(error)
    if (known !== undefined) return known
    return this.#internalErrors.record('call', error, { method: method.name })
  }

  #finish(method: Method<Context> | undefined, outcome: Outcome, startedAt: number): Outcome {
    const code = outcome instanceof RpcError ? outcome.code : undefined
    this.#metrics.observeCall(method?.name, code, performance.now() - startedAt)
    if (this.#dialect === undefined) return outcome
    if (outcome instanceof RpcError) return this.#dialect.toError?.(outcome) ?? outcome
    if (typeof outcome !== 'string' || method === undefined) return outcome
    return this.#dialect.toResult?.(method.name, outcome) ?? outcome
  }
}

/** Takes a permit as soon as there is one. Resolves to the reason if the call may not run. */
const enterInTurn = (limiter: WorkLimiter, scope: RequestScope): Promise<RpcError | undefined> =>
  new Promise((resolve) => {
    // At once when it is called, so that the limiter counts it before it admits the next one.
    const start = (): void => {
      limiter.enter(false)
      resolve(undefined)
    }
    if (limiter.isOpen) start()
    else limiter.wait(scope, start, resolve)
  })
