/**
 * Ethereum's rule changes that this program knows, oldest first. A fork includes all before it, so rules compare
 * positions: `since(fork, 'berlin')`. Changes of difficulty alone and of blob counts alone are not listed.
 */
export const forks = [
  'frontier',
  'homestead',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
] as const

export type Fork = (typeof forks)[number]

const position = Object.freeze(Object.fromEntries(forks.map((fork, index) => [fork, index]))) as Readonly<
  Record<Fork, number>
> // every key comes from the list above

/** Returns the fork's position in the list, for code that compares numbers (the WebAssembly EVM). */
export const forkIndex = (fork: Fork): number => position[fork]

/** Checks whether `fork` includes the rules of `first`. */
export const since = (fork: Fork, first: Fork): boolean => position[fork] >= position[first]
