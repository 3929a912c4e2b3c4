import { fileURLToPath } from 'node:url'

/** The folder beside the project with official suites and recordings; tests that need them are skipped without it. */
const shared = fileURLToPath(new URL('../../../shared/', import.meta.url))

/** Returns the path of a file in the folder beside the project, whether it exists or not. */
export const sharedPath = (name: string): string => `${shared}${name}`
