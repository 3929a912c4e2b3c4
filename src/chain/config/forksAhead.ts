import { type Activation, type ChainConfig, isTimedFork } from './chainConfig.ts'

/** A change of rules that is ahead, or that has no effect. */
export interface ForkAhead extends Pick<Activation, 'name' | 'by' | 'at'> {
  /** Whether this version of the program has its rules. */
  readonly isKnown: boolean
  /** The first version that knows it; undefined if the chain does not say. */
  readonly version: string | undefined
  /** Why it cannot be applied to the chain and has no effect; undefined if it can. */
  readonly problem: string | undefined
}

type Schedule = Pick<ChainConfig, 'activations' | 'unknownForks' | 'inapplicableForks' | 'forkVersions'>

/**
 * Returns the changes of rules that are ahead of a block, and those that have no effect because they cannot be applied:
 * those of block numbers first, each kind in its order.
 */
export const forksAhead = (
  { activations, unknownForks = [], inapplicableForks = [], forkVersions }: Schedule,
  head: { readonly number: number; readonly time: number },
): readonly ForkAhead[] => {
  const toFork = (name: string, by: 'block' | 'time', at: bigint, problem?: string): ForkAhead => ({
    name,
    by,
    at,
    isKnown: by === 'block' || isTimedFork(name),
    version: forkVersions?.get(name),
    problem,
  })
  const timed = [
    ...inapplicableForks.map(({ name, time, problem }) => toFork(name, 'time', time, problem)),
    ...activations
      .filter(({ by, at }) => by === 'time' && at > BigInt(head.time))
      .map(({ name, at }) => toFork(name, 'time', at)),
    ...unknownForks.map(({ name, time }) => toFork(name, 'time', time)),
  ]
  return [
    ...activations
      .filter(({ by, at }) => by === 'block' && at > BigInt(head.number))
      .map(({ name, at }) => toFork(name, 'block', at)),
    ...timed.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at))),
  ]
}
