import type { Activation, ChainConfig } from './chainConfig.ts'

/** A change of rules that is ahead. */
export interface ForkAhead extends Pick<Activation, 'name' | 'by' | 'at'> {
  /** Whether this version of the program has its rules. */
  readonly isKnown: boolean
  /** The first version that knows it; undefined if the chain does not say. */
  readonly version: string | undefined
}

/** Returns the changes of rules that are ahead of a block, those of block numbers first, each kind in its order. */
export const forksAhead = (
  { activations, unknownForks = [] }: Pick<ChainConfig, 'activations' | 'unknownForks'>,
  head: { readonly number: number; readonly time: number },
): readonly ForkAhead[] => [
  ...activations
    .filter(({ by, at }) => at > BigInt(by === 'block' ? head.number : head.time))
    .map(({ name, by, at }) => ({ name, by, at, isKnown: true, version: undefined })),
  ...unknownForks.map(({ name, time, version }) => ({
    name,
    by: 'time' as const,
    at: time,
    isKnown: false,
    version: version === '' ? undefined : version,
  })),
]
