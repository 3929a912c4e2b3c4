import type { Plugin } from 'rolldown'

/** A place of a package that does not work in a bundle, or costs time for nothing there. */
interface Change {
  readonly file: RegExp
  readonly from: string
  readonly to: string
}

const changes: readonly Change[] = [
  // The native part of lmdb is found from where lmdb is installed, and not from the bundle.
  {
    file: /\/node_modules\/lmdb\/native\.js$/,
    from: 'dirname(fileURLToPath(import.meta.url))',
    to: "dirname(process.getBuiltinModule('node:module').createRequire(import.meta.url).resolve('lmdb'))",
  },
  // A script with compiled code has no way to load an ES module in a thread.
  {
    file: /\/node_modules\/@jitl\/quickjs-wasmfile-release-sync\/dist\/emscripten-module\.mjs$/,
    from: 'await import("node:module")',
    to: "process.getBuiltinModule('node:module')",
  },
  // Only for msgpack, which is not used: the store holds bytes. Its native part takes 8 ms to load.
  {
    file: /\/node_modules\/msgpackr\/node-index\.js$/,
    from: 'if (!nativeAccelerationDisabled)',
    to: 'if (false)',
  },
  // A write that was put off may come after the connection has closed: it ended the process. Its query has failed by then.
  {
    file: /\/node_modules\/postgres\/src\/connection\.js$/,
    from: 'const x = socket.write(chunk, fn)',
    to: 'const x = socket !== null && socket.write(chunk, fn)',
  },
]

/** Makes packages run from a bundle. A place that is not found fails the build. */
export const bundlePackages: Plugin = {
  name: 'bundle-packages',
  transform: (code, id) => {
    const change = changes.find(({ file }) => file.test(id.replaceAll('\\', '/')))
    if (change === undefined) return undefined
    if (code.split(change.from).length !== 2)
      throw new Error(`${id} has "${change.from}" not once: mend scripts/bundlePackages.ts`)
    return { code: code.replace(change.from, () => change.to), map: null }
  },
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
