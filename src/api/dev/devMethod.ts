import type { DevControl } from '../../chain/port/dev.ts'
import { unsupported } from '../../rpc/errors.ts'
import type { Param } from '../../rpc/method.ts'
import type { ApiContext } from '../context.ts'
import { type ApiMethod, type ApiMethodDefinition, method } from '../method.ts'

/** Returns the controls of the chain; throws if it has none. */
export const devControl = ({ chain }: Pick<ApiContext, 'chain'>): DevControl => {
  if (chain.dev !== undefined) return chain.dev
  throw unsupported(
    chain.mode === 'gateway'
      ? 'the blocks of this chain are made by other nodes: dev methods need a chain of this process (perihelion start)'
      : 'the blocks of this chain are decided by its validators: dev methods need the solo engine (perihelion start --engine solo)',
  )
}

type DevDefinition<Params extends readonly Param[], Result> = Omit<
  ApiMethodDefinition<Params, Result>,
  'name' | 'access' | 'handler'
> & {
  /** The names of the method: anvil's, and those that other tools have for the same. */
  readonly names: readonly [string, ...string[]]
  readonly handler: (
    args: Parameters<ApiMethodDefinition<Params, Result>['handler']>[0],
    dev: DevControl,
    context: ApiContext,
    scope: Parameters<ApiMethodDefinition<Params, Result>['handler']>[2],
  ) => ReturnType<ApiMethodDefinition<Params, Result>['handler']>
}

/** Returns a method for each of the names; they do the same. */
export const devMethod = <const Params extends readonly Param[], Result>({
  names,
  handler,
  ...definition
}: DevDefinition<Params, Result>): readonly ApiMethod[] =>
  names.map((name) =>
    method<Params, Result>({
      ...definition,
      name,
      access: 'dev',
      summary:
        name === names[0]
          ? definition.summary
          : `${definition.summary.slice(0, -1)} (the same as ${names[0]}).`,
      handler: (args, context, scope) => handler(args, devControl(context), context, scope),
    }),
  )

/** Returns methods that this chain does not have, each with the reason. */
export const unsupportedDevMethod = ({
  why,
  ...definition
}: Omit<DevDefinition<readonly Param[], unknown>, 'examples' | 'handler'> & {
  readonly why: string
}): readonly ApiMethod[] =>
  devMethod({
    ...definition,
    examples: [],
    handler: () => {
      throw unsupported(why)
    },
  })
