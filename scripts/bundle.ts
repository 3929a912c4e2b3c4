// Bundles the program from `src/` to a few files below `dist/`, since Node takes a second to find 700 modules. Each file
// stands in a folder of its own kind: `cli/main.js`, `library/index.js`, `workers/<name>.js`, and `chunks/` that they share.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CodeSplittingGroup, type OutputChunk, rolldown } from 'rolldown'
import { workerEntries } from '../src/base/threads/builtFiles.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['cli', 'library', 'workers', 'chunks', 'inside']

/** Packages with native parts are found where they are installed. */
const external = [/^lmdb$/, /^secp256k1(?:\/|$)/]

/** The form of the package from which the hashes that nobody uses can be left out. */
const resolve = { alias: { 'hash-wasm': join(root, 'node_modules/hash-wasm/dist/index.esm.js') } }

/** Classes of the application's thread that tests watch or break inside a running program. */
const inside = { application: 'app/application.ts', lmdb: 'base/lmdb.ts' }

const under = (folder: string, entries: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).map(([name, file]) => [`${folder}/${name}`, `src/${file}`]))

/** Returns the folder of the package that a bundled module comes from; undefined for a module of ours. */
const packageFolder = (module: string): string | undefined =>
  /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.replaceAll('\\', '/'))?.[1]

/** Returns the licences of the packages that are bundled, as these ask for. */
const licences = (modules: readonly string[]): string => {
  const packages = [...new Set(modules.map(packageFolder).filter((folder) => folder !== undefined))].sort()
  const texts = packages.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
    return `${name} ${version} (${license})\n${text}`
  })
  return `The bundles hold parts of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n`)}`
}

/** What every command loads, so that those who need no more load no more. */
const ofEveryCommand =
  /\/node_modules\/commander\/|\/src\/(?:base\/(?:exit|version|packageRoot|threads\/builtFiles)|config\/configError|cli\/(?:commands|shutdown))\.ts$/

/**
 * Chunks that took in small neighbours may need each other. A module that would run too early in one is wrapped, so that
 * it runs when it is needed; all others stay as they are.
 */
const experimental = { onDemandWrapping: true }

/** Modules that share less than this with others of their kind go into the chunk of a neighbour. */
const smallChunk = 20_000

/**
 * Bundles entries that share their chunks. What a thread loads shares nothing with the other threads, so that each worker is a
 * bundle of its own: one file to find and to link instead of sixty.
 */
const build = async (
  input: Readonly<Record<string, string>>,
  chunkPrefix: string,
  groups: readonly CodeSplittingGroup[],
): Promise<OutputChunk[]> => {
  const isSplit = groups.length > 0
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: { ...input },
    external,
    resolve,
    ...(isSplit && { experimental }),
  })
  const { output } = await bundle.write({
    dir: join(root, 'dist'),
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    // A group is named by the entries that use it, which makes a long name with folders in it.
    chunkFileNames: ({ name }) =>
      `chunks/${chunkPrefix}${name.split('~', 1)[0]}${name.includes('~') ? '-[hash]' : ''}.js`,
    minifyInternalExports: false,
    // Comments are a third of what Node would have to read; lines and names stay, for stacks and profiles.
    comments: false,
    strictExecutionOrder: isSplit,
    codeSplitting: { groups: [...groups] },
  })
  await bundle.close()
  return output.filter((file): file is OutputChunk => file.type === 'chunk')
}

for (const folder of folders) rmSync(join(root, 'dist', folder), { recursive: true, force: true })
const chunks = await build(
  {
    ...under('cli', { main: 'cli/main.ts', anvil: 'cli/perihelionAnvil.ts' }),
    ...under('library', { index: 'index.ts' }),
  },
  '',
  [
    { name: 'program', test: ofEveryCommand, priority: 1 },
    { name: 'shared', entriesAware: true, entriesAwareMergeThreshold: smallChunk, minShareCount: 2 },
  ],
)
// A link to a program has to run, also in a tree where npm did not install it.
for (const name of ['main', 'anvil']) chmodSync(join(root, 'dist', 'cli', `${name}.js`), 0o755)
for (const [name, file] of Object.entries(workerEntries)) {
  const watched = name === 'app' ? under('inside', inside) : {}
  chunks.push(...(await build({ ...under('workers', { [name]: file }), ...watched }, `${name}-`, [])))
}
writeFileSync(join(root, 'dist', 'LICENCES.txt'), licences(chunks.flatMap(({ moduleIds }) => moduleIds)))
