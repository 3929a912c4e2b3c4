import type { Activation, ChainConfig } from './chainConfig.ts'

/** A change of rules that is ahead. */
export interface ForkAhead extends Pick<Activation, 'name' | 'by' | 'at'> {
  /** Whether this version of the program can execute its blocks. */
  readonly isKnown: boolean
  /** The first version that knows it; undefined if the chain does not say. */
  readonly version: string | undefined
  /** Why it cannot be applied to the chain, whatever the version; undefined if it can. */
  readonly problem: string | undefined
}

/** Returns the changes of rules that are ahead of a block, those of block numbers first, each kind in its order. */
export const forksAhead = (
  { activations, unknownForks = [] }: Pick<ChainConfig, 'activations' | 'unknownForks'>,
  head: { readonly number: number; readonly time: number },
): readonly ForkAhead[] => [
  ...activations
    .filter(({ by, at }) => at > BigInt(by === 'block' ? head.number : head.time))
    .map(({ name, by, at }) => ({ name, by, at, isKnown: true, version: undefined, problem: undefined })),
  ...unknownForks.map(({ name, time, version, problem }) => ({
    name,
    by: 'time' as const,
    at: time,
    isKnown: false,
    version: version === '' ? undefined : version,
    problem,
  })),
]
