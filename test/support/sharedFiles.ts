import { fileURLToPath } from 'node:url'

/** Official suites and recordings lie in a folder beside the project; what needs them is skipped where they are not. */
const shared = fileURLToPath(new URL('../../../shared/', import.meta.url))

/** Returns the path of what is called so in the folder beside the project, whether it is there or not. */
export const sharedPath = (name: string): string => `${shared}${name}`
