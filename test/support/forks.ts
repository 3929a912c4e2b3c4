/** The members of a chain's config for every fork that a block number begins, all of them from genesis on. */
export const blockForks: Readonly<Record<string, number>> = Object.fromEntries(
  [
    ...['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg'],
    ...['istanbul', 'berlin', 'london'],
  ].map((name) => [`${name}Block`, 0]),
)
