import type { Plugin } from 'rolldown'
import { applyPatch, readPatches } from './patches.ts'

const patches = readPatches()
const applied = new Set<string>()

/** Applies the patches of scripts/patches to the packages of a bundle. A patch that does not fit fails the build. */
export const bundlePackages: Plugin = {
  name: 'bundle-packages',
  transform: (code, id) => {
    const path = id.replaceAll('\\', '/')
    const patch = patches.find(({ package: name, file }) => path.endsWith(`/node_modules/${name}/${file}`))
    if (patch === undefined) return undefined
    applied.add(patch.package)
    return { code: applyPatch(patch, code), map: null }
  },
}

/** Throws if a patch was in no bundle: its package is gone, or another file of it is bundled now. */
export const requirePatches = (): void => {
  const unused = patches.map(({ package: name }) => name).filter((name) => !applied.has(name))
  if (unused.length > 0) throw new Error(`no bundle has what these patches change: ${unused.join(', ')}`)
}

/**
 * Modules that are loaded with the first module that imports them, each with the way to it. An import at the top of a bundle
 * would load those of Node for every command. Of lmdb's packages one has a direct `eval`, which in a bundle would keep V8 from
 * optimising everything around it.
 */
const late: readonly (readonly [RegExp, (id: string) => string])[] = [
  [/^(?:node:(?:child_process|http2|https|inspector|readline|v8)|tls)$/, (id) => `require('${id}')`],
  [/^ordered-binary$/, (id) => `require('node:module').createRequire(require.resolve('lmdb'))('${id}')`],
]

const prefix = '\0late:'

export const loadLate: Plugin = {
  name: 'load-late',
  resolveId: (id, importer) => {
    if (importer?.startsWith(prefix) === true) return { id, external: true }
    return late.some(([ids]) => ids.test(id)) ? `${prefix}${id}` : undefined
  },
  load: (file) => {
    if (!file.startsWith(prefix)) return undefined
    const id = file.slice(prefix.length)
    return late.filter(([ids]) => ids.test(id)).map(([, load]) => `module.exports = ${load(id)}`)[0]
  },
}
