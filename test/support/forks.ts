/** The members of a chain config that activate every fork with a block number at genesis. */
export const blockForks: Readonly<Record<string, number>> = Object.fromEntries(
  [
    ...['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg'],
    ...['istanbul', 'berlin', 'london'],
  ].map((name) => [`${name}Block`, 0]),
)
