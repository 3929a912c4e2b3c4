import { type Fork, since } from '../../src/chain/config/forks.ts'

/**
 * Programs are written with the instructions of today. Before the fork that brought one, another that takes and gives as
 * much stands in its place, so that programs of every fork mostly run.
 */
const replacements: readonly (readonly [op: number, since: Fork, instead: readonly number[]])[] = [
  [0x1b, 'constantinople', [0x02]],
  [0x1c, 'constantinople', [0x04]],
  [0x1d, 'constantinople', [0x05]],
  [0x1e, 'osaka', [0x19]],
  [0x3d, 'byzantium', [0x59]],
  [0x3e, 'byzantium', [0x39]],
  [0x3f, 'constantinople', [0x31]],
  [0x46, 'istanbul', [0x43]],
  [0x47, 'istanbul', [0x30, 0x31]],
  [0x48, 'london', [0x3a]],
  [0x49, 'cancun', [0x40]],
  [0x4a, 'cancun', [0x45]],
  [0x5c, 'cancun', [0x54]],
  [0x5d, 'cancun', [0x55]],
  [0x5e, 'cancun', [0x37]],
  [0x5f, 'shanghai', [0x60, 0x00]],
  [0xf4, 'homestead', [0xf2]],
  // The salt stays on the stack.
  [0xf5, 'constantinople', [0xf0]],
  [0xfa, 'byzantium', [0xf4]],
  [0xfd, 'byzantium', [0xf3]],
]

/** What stands for each instruction at a fork; nothing from Cancun on, whose cases are recorded. */
export const replacementsAt = (fork: Fork): ((op: number) => readonly number[]) | undefined => {
  if (since(fork, 'cancun')) return undefined
  const table = new Map(
    replacements.filter(([, first]) => !since(fork, first)).map(([op, , instead]) => [op, instead]),
  )
  const replace = (op: number): readonly number[] => {
    const instead = table.get(op)
    // What stands in may itself be too new; the data of a push is none of it.
    return instead === undefined ? [op] : op === 0x5f ? instead : instead.flatMap(replace)
  }
  return replace
}
