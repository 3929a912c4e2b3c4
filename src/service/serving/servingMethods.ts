import { z } from 'zod'
import type { ApiContext } from '../../api/context.ts'
import type { ApiMethod } from '../../api/method.ts'
import { ElsewhereError, failElsewhere } from '../../node/reading/elsewhere.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { CallScope, Method } from '../../rpc/method.ts'
import type { RawJson } from '../../rpc/rawJson.ts'
import { plainType } from '../../rpc/wireType.ts'
import type { AddedMethod } from './messages.ts'

/** A parameter as it came. */
const anything = plainType(z.unknown())

export interface ServingMethodsDependencies {
  /** Moves to the published head. Returns false if only the main process may answer now. */
  readonly follow: () => boolean
  /** Has the main process answer. */
  readonly forward: (method: string, params: readonly unknown[], scope: CallScope) => Promise<RawJson>
}

/** Returns the methods as a serving process has them. Names, access and class of work stay as they are. */
export const toServingMethods = (
  methods: readonly ApiMethod[],
  dependencies: ServingMethodsDependencies,
): readonly Method<ApiContext>[] =>
  methods.map((method) => {
    if (method.answeredBy === 'connection') return answeredIfKnown(method, dependencies)
    const { answeredBy = 'main' } = method
    return answeredBy === 'main' ? forwarded(method, dependencies) : answered(method, dependencies)
  })

/** A method that is answered here unless it turns out that only the main process can. */
const answered = (method: ApiMethod, { follow, forward }: ServingMethodsDependencies): Method<ApiContext> => {
  const { name, answeredBy, handler } = method
  const isForMain = (args: readonly unknown[]): boolean =>
    typeof answeredBy === 'function' && answeredBy(args) === 'main'
  return {
    ...method,
    handler: (args, context, scope, given = []) => {
      const passOn = (error: unknown): unknown => {
        if (error instanceof ElsewhereError) return forward(name, given, scope)
        throw error
      }
      try {
        if (isForMain(args) || !follow()) return forward(name, given, scope)
        const result = handler(args, context, scope, given)
        return result instanceof Promise ? result.catch(passOn) : result
      } catch (error) {
        return passOn(error)
      }
    },
  }
}

/** A method that the main process answers. It checks the parameters too. */
const forwarded = (
  { workOf: _, ...method }: Method<ApiContext>,
  { forward }: ServingMethodsDependencies,
): Method<ApiContext> => ({
  ...method,
  params: method.params.map((param) => ({ ...param, type: anything, required: false })),
  handler: (_args, _context, scope, given = []) => forward(method.name, given, scope),
})

/** Returns a method that only the main process has, as far as it matters to who may call it. */
export const fromAddedMethod = ({ name, access, work, params }: AddedMethod): Method<ApiContext> => ({
  name,
  summary: '',
  access,
  ...(work && { work }),
  params: params.map((param) => ({ ...param, about: '', type: anything, required: false })),
  result: { name: 'result', type: anything },
  examples: [],
  handler: failElsewhere,
})

export const toAddedMethod = ({ name, access, work, params }: Method<ApiContext>): AddedMethod => ({
  name,
  access,
  work,
  params: params.map(({ name, secret }) => ({ name, secret })),
})

/** A method about something that this process keeps for the connection; what it does not know may be known to the main process. */
const answeredIfKnown = (
  method: Method<ApiContext>,
  { forward }: ServingMethodsDependencies,
): Method<ApiContext> => ({
  ...method,
  handler: (args, context, scope, given = []) => {
    try {
      return method.handler(args, context, scope, given)
    } catch (error) {
      if (scope.connection === undefined || !(error instanceof RpcError)) throw error
      return forward(method.name, given, scope)
    }
  },
})
