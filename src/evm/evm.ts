import { forkIndex } from '../chain/config/forks.ts'
import { EvmExecution } from './execution.ts'
import { createHost, type HostState } from './host/createHost.ts'
import type { EvmModules } from './host/evmModules.ts'
import { EvmInstance } from './host/instance.ts'
import { createTraceImports, noopTraceImports } from './tracing/traceImports.ts'
import type {
  Execution,
  ExecutionContext,
  KeptExecution,
  Precompile,
  PrecompileSet,
  PrecompileTable,
} from './types.ts'

/** One EVM: it executes one thing at a time, and keeps decoded code between executions. */
export interface Evm {
  /** Creates an execution, and ends the previous one. */
  createExecution(context: ExecutionContext): Execution
  /** Creates an execution that is kept beside the others, and ends the previous one of this kind. It has no tracer. */
  keepExecution(context: ExecutionContext): KeptExecution
  /** Returns how many bytes of code the current execution's instance has read, searched for jumps and decoded so far. */
  codeWork(): bigint
}

export interface EvmOptions {
  /**
   * How often code of a given length must run before it is decoded, in proportion to the EVM's own measure.
   * For tests: 0 decodes everything at once, a large number nothing. What code does is the same.
   */
  readonly patience?: number
}

export const createEvm = (
  modules: EvmModules,
  precompilesAt: PrecompileTable,
  { patience }: EvmOptions = {},
): Evm => {
  let state: HostState | undefined
  let keptState: HostState | undefined
  const current = (): HostState => begun(state)
  const trace = createTraceImports(current)
  const instances: { fast?: EvmInstance; traced?: EvmInstance; kept?: EvmInstance } = {}

  const instanceFor = (kind: keyof typeof instances): EvmInstance => {
    const known = instances[kind]
    if (known !== undefined && !known.isOvergrown) return known
    const imports = kind === 'traced' ? trace.imports : noopTraceImports
    const host = createHost(kind === 'kept' ? () => begun(keptState) : current)
    const made = new EvmInstance(modules[kind === 'traced' ? 'traced' : 'fast'], { ...host, ...imports })
    if (patience !== undefined) made.run.setPatience(patience)
    instances[kind] = made
    return made
  }

  const createState = (context: ExecutionContext, instance: EvmInstance): HostState => {
    instance.run.configure(forkIndex(context.fork))
    const forkPrecompiles = precompilesAt(context.fork)
    return {
      context,
      limits: undefined,
      instance,
      precompiles: numberPrecompiles(context.precompiles, instance.at.PRECOMPILE_LIMIT) ?? forkPrecompiles,
      forkPrecompiles: forkPrecompiles,
      keptCode: new Map(),
      resetTrace: trace.reset,
      slices: 0,
    }
  }

  return {
    codeWork: () => current().instance.run.codeWork.value,
    createExecution: (context) => {
      const made = createState(context, instanceFor(context.tracer === undefined ? 'fast' : 'traced'))
      state = made
      return new EvmExecution(made, () => state === made)
    },
    keepExecution: (context) => {
      const made = createState(context, instanceFor('kept'))
      keptState = made
      return new EvmExecution(made, () => keptState === made)
    },
  }
}

const begun = (state: HostState | undefined): HostState => {
  if (state === undefined) throw new Error('no execution has begun')
  return state
}

/**
 * Returns the precompiles by the number that the EVM uses: the small address, or for others the index in the
 * list after the last small one.
 */
const numberPrecompiles = (
  set: PrecompileSet | undefined,
  limit: number,
): ReadonlyMap<number, Precompile> | undefined =>
  set &&
  new Map([
    ...set.bySmallAddress,
    ...set.moved.map(({ precompile }, index) => [limit + index, precompile] as const),
  ])
