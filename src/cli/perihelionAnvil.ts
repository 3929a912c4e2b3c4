/** The program that stands in for anvil, also under a link of that name: `perihelion anvil` with the same flags. */
process.argv.splice(2, 0, 'anvil')
void import('./main.ts')
