import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { constants, runInThisContext, Script } from 'node:vm'
import { codeCachePath, decodeCodeCache, wrapBundle } from './codeCache.ts'
import { keepCodeByNode } from './nodeCodeCache.ts'

/**
 * Loads the bundles of this package, with the compiled code that the build keeps of them where this Node can use it
 * (decision 0049). It is a file of its own, which the small files that Node is started with load.
 */

type BundleFunction = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  file: string,
  folder: string,
) => void

const loaded = new Map<string, { exports: object }>()

/** Returns what a bundle exports; it runs once in a thread. */
export const loadBundle = (file: string): object => load(file, () => {})

/** As `loadBundle`, in a process or a thread that is ours alone: Node may keep compiled code where the build did not. */
export const runBundle = (file: string): object => load(file, keepCodeByNode)

const load = (file: string, prepareNode: () => void): object => {
  const known = loaded.get(file)
  if (known !== undefined) return known.exports
  const require = createRequire(file)
  const script = isAllowed() ? compile(file) : undefined
  if (script === undefined) {
    prepareNode()
    return require(file)
  }
  const bundle = { exports: {} }
  loaded.set(file, bundle)
  const run = script.runInThisContext() as BundleFunction // the text of `wrapBundle`
  run(bundle.exports, require, bundle, file, dirname(file))
  return bundle.exports
}

/**
 * Whether compiled code may be used: not where the user wants none (Node's own variable), where Node must see the text
 * for its source maps, or in a realm of its own as test runners make them, whose classes are others than those of a script.
 */
const isAllowed = (): boolean =>
  process.env.NODE_DISABLE_COMPILE_CACHE === undefined &&
  !process.sourceMapsEnabled &&
  runInThisContext('Object') === Object

/** Returns a bundle with its compiled code; undefined if there is none. Should V8 reject it, it compiles the text. */
const compile = (file: string): Script | undefined => {
  const content = readIfThere(codeCachePath(file))
  if (content === undefined) return undefined
  const text = readFileSync(file)
  const cachedData = decodeCodeCache(text, content)
  if (cachedData === undefined) return undefined
  // The build writes nothing but ASCII.
  return new Script(wrapBundle(text.toString('latin1')), {
    filename: file,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
}

const readIfThere = (file: string): Buffer | undefined => {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
