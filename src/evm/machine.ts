import { forkIndex } from '../chain/config/forks.ts'
import { MachineExecution } from './execution.ts'
import { createHost, type HostState } from './host.ts'
import { Instance } from './instance.ts'
import type { MachineModules } from './modules.ts'
import { createTraceImports, silentImports } from './tracing/tracing.ts'
import type { Execution, ExecutionContext, Precompile, PrecompileSet, PrecompileTable } from './types.ts'

/** One machine: it executes one thing at a time, and keeps decoded code between executions. */
export interface Machine {
  /** Ends the execution begun before, if any. */
  begin(context: ExecutionContext): Execution
}

/** An instance that once grew beyond this is replaced: WebAssembly memory never shrinks. */
const keptGrowth = 64 * 2 ** 20

export const createMachine = (modules: MachineModules, precompilesAt: PrecompileTable): Machine => {
  let state: HostState | undefined
  const current = (): HostState => {
    if (state === undefined) throw new Error('no execution has begun')
    return state
  }
  const host = createHost(current)
  const trace = createTraceImports(current)
  const instances: { fast: Instance | undefined; traced: Instance | undefined } = {
    fast: undefined,
    traced: undefined,
  }

  const instanceFor = (isTraced: boolean): Instance => {
    const kind = isTraced ? 'traced' : 'fast'
    const known = instances[kind]
    if (known !== undefined && known.grown <= keptGrowth) return known
    const imports = isTraced ? trace.imports : silentImports
    const made = new Instance(modules[kind], { ...host, ...imports })
    instances[kind] = made
    return made
  }

  return {
    begin: (context) => {
      const instance = instanceFor(context.tracer !== undefined)
      instance.run.configure(forkIndex(context.fork))
      const ownPrecompiles = precompilesAt(context.fork)
      const own: HostState = {
        context,
        instance,
        precompiles: numbered(context.precompiles, instance.at.PRECOMPILE_LIMIT) ?? ownPrecompiles,
        ownPrecompiles,
        kept: new Map(),
        resetTrace: trace.reset,
        slices: 0,
      }
      state = own
      return new MachineExecution(own, () => state === own)
    },
  }
}

/** By the number under which the machine asks: the small address, or the place in the list after the last of those. */
const numbered = (
  set: PrecompileSet | undefined,
  limit: number,
): ReadonlyMap<number, Precompile> | undefined =>
  set &&
  new Map([
    ...set.bySmallAddress,
    ...set.moved.map(({ precompile }, index) => [limit + index, precompile] as const),
  ])
