#!/usr/bin/env node
/** The program that stands in for anvil, also under a link of that name: `perihelion anvil` with the same flags. */
process.argv.splice(2, 0, 'anvil')
await import('./main.ts')
