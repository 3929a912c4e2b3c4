/**
 * The folder of the package. This file and every built one stand in a folder of a folder of it (`src/base`,
 * `dist/bundles`), so that the way up is the same.
 */
export const packageRoot = new URL('../../', import.meta.url)
