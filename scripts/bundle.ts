// Bundles the program from `src/` to a few files below `dist/`, since Node takes a second to find 700 modules. Each file
// stands in a folder of its own kind: `cli/main.js`, `library/index.js`, `workers/<name>.js`, and `chunks/` that they share.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type OutputChunk, rolldown } from 'rolldown'
import { workerEntries } from '../src/base/threads/builtFiles.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['cli', 'library', 'workers', 'chunks', 'inside']

/** Packages with native parts are found where they are installed. */
const external = [/^lmdb$/, /^secp256k1(?:\/|$)/]

/** Classes that tests and benches watch or break inside a running program, by the bundle in which they find them. */
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

const bundle = await rolldown({
  cwd: root,
  platform: 'node',
  input: {
    ...under('cli', { main: 'cli/main.ts' }),
    ...under('library', { index: 'index.ts' }),
    ...under('workers', workerEntries),
    ...under('inside', inside),
  },
  external,
})
for (const folder of folders) rmSync(join(root, 'dist', folder), { recursive: true, force: true })
const { output } = await bundle.write({
  dir: join(root, 'dist'),
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
  minifyInternalExports: false,
})
await bundle.close()
const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk')
writeFileSync(join(root, 'dist', 'LICENCES.txt'), licences(chunks.flatMap(({ moduleIds }) => moduleIds)))
