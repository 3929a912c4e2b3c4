// Bundles the program from `src/` to a few files below `dist/bundles/`, since Node takes a second to find 700 modules: one
// for the program and the library, one for each thread. What Node is started with is a small file that loads one of them:
// `cli/main.js`, `library/index.js`, `workers/<name>.js`.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'
import { exitCodes } from '../src/base/exit.ts'
import { workerEntries } from '../src/base/threads/builtFiles.ts'
import { bundlePackages, loadLate, requirePatches } from './bundlePackages.ts'
import { licences } from './licences.ts'
import { shrinkSourceMap } from './sourceMap.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  engines: { node: string }
}
const folders = ['bundles', 'cli', 'library', 'workers', 'inside']

/** Found where it is installed. */
const external = [/^secp256k1(?:\/|$)/]

/** The build copies only the WebAssembly of these packages. */
const copied = [join(root, 'node_modules/hash-wasm/package.json')]

/** Classes of the application's thread that tests watch or break inside a running program, and where they are. */
const inside = {
  application: { name: 'Application', source: 'app/application.ts' },
  lmdb: { name: 'LmdbEnvironment', source: 'base/lmdb/lmdb.ts' },
}

const sourceOf = (file: string): string => JSON.stringify(join(root, 'src', file))

/** Those with a bundle of their own. A serving process needs most of the program, which is in the package once. */
const threads = (Object.keys(workerEntries) as (keyof typeof workerEntries)[]).filter(
  (name) => name !== 'serving',
)

/** What each bundle begins with: a module of `src/`, or a text that names some. */
const entries: Readonly<Record<string, { readonly file: string } | { readonly text: string }>> = {
  loader: {
    text: `
      export { loadBundle, runBundle } from ${sourceOf('base/bundles/loader.ts')}
      export { isAnsweredByFront } from ${sourceOf('cli/front/words.ts')}
      export { startAhead } from ${sourceOf('cli/serve/startAhead.ts')}`,
  },
  front: { file: 'cli/front/front.ts' },
  noble: { file: 'base/platform/nobleSecp256k1.ts' },
  // One bundle for both; nothing in it runs before it is needed.
  program: {
    text: `
      exports.keepSpareWorker = (...args) => require(${sourceOf('base/threads/builtFiles.ts')}).keepSpareWorker(...args)
      exports.program = () => require(${sourceOf('cli/main.ts')})
      exports.anvil = () => require(${sourceOf('cli/perihelionAnvil.ts')})
      exports.library = () => require(${sourceOf('index.ts')})
      exports.serving = () => require(${sourceOf(workerEntries.serving)})`,
  },
  ...Object.fromEntries(threads.map((name) => [name, { file: workerEntries[name] }])),
  app: {
    text: [
      `import ${sourceOf(workerEntries.app)}`,
      ...Object.values(inside).map(({ name, source }) => `export { ${name} } from ${sourceOf(source)}`),
    ].join('\n'),
  },
}

/** Leaves what a command does out of a bundle that only lists the commands. */
const withoutCommands: Plugin = {
  name: 'without-commands',
  resolveId: (id, importer) =>
    importer?.replaceAll('\\', '/').endsWith('/commands/commands.ts') === true
      ? { id, external: true }
      : undefined,
}

const virtualEntry = 'virtual:entry'

/** Gives a bundle a text of its own as its first module. */
const entryText = (text: string): Plugin => ({
  name: 'entry-text',
  resolveId: (id) => (id === virtualEntry ? id : undefined),
  load: (id) => (id === virtualEntry ? text : undefined),
})

/** Writes other characters as escapes: V8 keeps ASCII in half the memory, and it is read without being decoded. */
const writeAscii = (file: string): void => {
  const text = readFileSync(file, 'utf8')
  const escaped = text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  writeFileSync(file, escaped)
}

/**
 * Bundles an entry to one file. A module that is loaded on first use runs when it is needed; its text is in the same file,
 * since with the compiled code beside it that costs nothing.
 */
const build = async (name: string): Promise<OutputChunk[]> => {
  const entry = entries[name] as (typeof entries)[string] // a name of the table
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: { [name]: 'text' in entry ? virtualEntry : `src/${entry.file}` },
    external,
    plugins: [
      ...[bundlePackages, loadLate, name === 'front' && withoutCommands],
      'text' in entry && entryText(entry.text),
    ],
  })
  const { output } = await bundle.write({
    dir: join(dist, 'bundles'),
    format: 'cjs',
    strict: true,
    sourcemap: true,
    entryFileNames: '[name].js',
    minifyInternalExports: false,
    // Comments are a third of what Node would have to read; lines and names stay, for stacks and profiles.
    comments: false,
    codeSplitting: false,
  })
  await bundle.close()
  writeAscii(join(dist, 'bundles', `${name}.js`))
  shrinkSourceMap(join(dist, 'bundles', `${name}.js.map`))
  return output.filter((file): file is OutputChunk => file.type === 'chunk')
}

/** Writes a file that loads a bundle, which is all that Node itself compiles. */
const writeStarter = (file: string, text: string): void => {
  mkdirSync(join(dist, file, '..'), { recursive: true })
  writeFileSync(join(dist, file), text)
}

/** The call that runs a bundle in a process or a thread of ours. */
const running = (name: string): string =>
  `require('../bundles/loader.js').runBundle(require.resolve('../bundles/${name}.js'))`

/**
 * Rejects a Node.js that is too old, before it is given code that it cannot read. The words of this are read by the oldest, and so
 * they are ES5.
 */
const [oldestMajor, oldestMinor] = /(\d+)\.(\d+)/.exec(engines.node)?.slice(1) ?? []
const refusingOldNode = `var version = process.versions.node.split('.').map(Number)
if (version[0] < ${oldestMajor} || (version[0] === ${oldestMajor} && version[1] < ${oldestMinor})) {
  console.error('perihelion: Node.js ${oldestMajor}.${oldestMinor} or newer is needed, and this is ' + process.versions.node)
  process.exit(${exitCodes.internal})
}
`

/**
 * Answers what needs no program, or starts the thread of the application, where it is needed, and then the program beside it.
 */
const starting = `const { isAnsweredByFront, runBundle, startAhead } = require('../bundles/loader.js')
const words = process.argv.slice(2)
if (isAnsweredByFront(words)) runBundle(require.resolve('../bundles/front.js')).answer(words)
else {
  const worker = startAhead(words)
  const program = runBundle(require.resolve('../bundles/program.js'))
  if (worker !== undefined) program.keepSpareWorker('app', worker)
  program.program()
}
`

const writeProgram = (file: string, start: string): void => {
  writeStarter(file, `#!/usr/bin/env node\n'use strict'\n${refusingOldNode}${start}`)
  // A link to a program must run, also in a tree where npm did not install it.
  chmodSync(join(dist, file), 0o755)
}

/** Writes the library as an ES module, whose names tools can read. */
const writeLibrary = async (): Promise<void> => {
  const bundle = await rolldown({ cwd: root, input: 'src/index.ts', external: /^\.\// })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  writeStarter(
    'library/index.js',
    [
      `import { createRequire } from 'node:module'`,
      'const require = createRequire(import.meta.url)',
      `const { loadBundle } = require('../bundles/loader.js')`,
      `const library = loadBundle(require.resolve('../bundles/program.js')).library()`,
      ...output[0].exports.map((name) => `export const ${name} = library.${name}`),
      '',
    ].join('\n'),
  )
}

for (const folder of folders) rmSync(join(dist, folder), { recursive: true, force: true })
const bundles: OutputChunk[] = []
for (const name of Object.keys(entries)) bundles.push(...(await build(name)))
requirePatches()
writeProgram('cli/main.js', starting)
// Its chain is not kept and needs no thread.
writeProgram('cli/anvil.js', `${running('program')}.anvil()\n`)
for (const name of threads) writeStarter(`workers/${name}.js`, `'use strict'\n${running(name)}\n`)
writeStarter('workers/serving.js', `'use strict'\n${running('program')}.serving()\n`)
for (const [file, { name }] of Object.entries(inside))
  writeStarter(`inside/${file}.js`, `'use strict'\nexports.${name} = ${running('app')}.${name}\n`)
await writeLibrary()
// The package's own files are ES modules; these Node loads faster.
for (const folder of folders.filter((name) => name !== 'library'))
  writeFileSync(join(dist, folder, 'package.json'), '{ "type": "commonjs" }\n')
const bundled = bundles.flatMap(({ moduleIds }) => moduleIds)
writeFileSync(join(dist, 'LICENCES.txt'), licences([...bundled, ...copied]))
