// Builds everything the program runs from: `dist/` from `src/`.
// With --if-stale it does nothing when the output is newer than every source, so that `npm start` and `npm test`
// work in a tree where no install script ran, and cost nothing where one did. With --if-not-whole it does nothing when all of
// the output was built at once after the last change, so that `npm install`, `npm link` and `npm pack` in a row build once and
// a package has nothing of earlier builds.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'dist', '.built')
const inputs = [
  'src',
  'explorer',
  'scripts/build.mjs',
  'scripts/bundle.ts',
  'scripts/bundlePackages.ts',
  'scripts/codeCache.ts',
  'scripts/declarations.ts',
  'scripts/explorer.ts',
  'scripts/licences.ts',
  'scripts/light.ts',
  'scripts/lightBundle.ts',
  'scripts/patches',
  'scripts/patches.ts',
  'scripts/recordCode.cjs',
  'scripts/sourceMap.ts',
  'docs/openrpc.json',
  'package.json',
  // With other packages the bundles are others.
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
]

const newest = (path) => {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return readdirSync(path).reduce((max, name) => Math.max(max, newest(join(path, name))), stat.mtimeMs)
}

/** Whether what was built is newer than what it was built from. */
const isFresh = (output, sources) => {
  if (!existsSync(output)) return false
  const built = statSync(output).mtimeMs
  return sources.every((source) => newest(join(root, source)) <= built)
}

const run = (command, args) => {
  const { status, error } = spawnSync(process.execPath, [join(root, 'node_modules', command), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

/** A module of AssemblyScript, which takes most of the time: built only when its own sources changed. */
const buildModule = (source, output, ...options) => {
  const [folder] = source.match(/^.*\/assembly/)
  const shared = 'src/base/crypto/assembly'
  if (onlyStale && isFresh(join(root, output), [folder, shared, 'scripts/build.mjs', 'package.json'])) return
  run('assemblyscript/bin/asc.js', [
    source,
    '-O3',
    '--runtime',
    'stub',
    '--noAssert',
    ...options,
    '-o',
    output,
  ])
}

/** The WebAssembly of packages, in files of their own: to be read when it is needed, by every thread alike. */
const copyForeignModules = async () => {
  const require = createRequire(import.meta.url)
  mkdirSync(join(root, 'dist', 'wasm'), { recursive: true })
  copyFileSync(
    require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'),
    join(root, 'dist', 'wasm', 'quickjs.wasm'),
  )
  // mcl-wasm has its module as text inside a function, which hands the bytes to WebAssembly and to nobody else.
  const { instantiate } = WebAssembly
  WebAssembly.instantiate = (bytes) => {
    writeFileSync(join(root, 'dist', 'wasm', 'mcl.wasm'), bytes)
    return new Promise(() => {})
  }
  require('mcl-wasm/dist/mcl_c.js')({})
  WebAssembly.instantiate = instantiate
  // hash-wasm too.
  const { compile } = WebAssembly
  const keccak = await new Promise((resolve) => {
    WebAssembly.compile = (bytes) => {
      resolve(new Uint8Array(bytes))
      return new Promise(() => {})
    }
    require('hash-wasm').createKeccak(256)
  })
  WebAssembly.compile = compile
  writeFileSync(join(root, 'dist', 'wasm', 'keccak.wasm'), keccak)
}

/** What the stamp says of an output that holds nothing of earlier builds. */
const whole = 'whole\n'
const onlyStale = process.argv.includes('--if-stale')
const isBuilt = isFresh(stamp, inputs)
if (onlyStale && isBuilt) process.exit(0)
if (process.argv.includes('--if-not-whole') && isBuilt && readFileSync(stamp, 'utf8') === whole)
  process.exit(0)
if (!existsSync(join(root, 'node_modules', 'typescript'))) {
  process.stderr.write('The packages that build the program are missing: run npm install first.\n')
  process.exit(1)
}
const begin = new Date()
if (!onlyStale) rmSync(join(root, 'dist'), { recursive: true, force: true })
run('typescript/bin/tsc', ['-p', 'tsconfig.build.json'])
run('tsx/dist/cli.mjs', ['scripts/declarations.ts'])
run('tsx/dist/cli.mjs', ['scripts/bundle.ts'])
// Without the spaces that are for readers of docs/.
writeFileSync(
  join(root, 'dist', 'openrpc.json'),
  JSON.stringify(JSON.parse(readFileSync(join(root, 'docs', 'openrpc.json'), 'utf8'))),
)
await copyForeignModules()
buildModule('src/evm/assembly/precompiles/index.ts', 'dist/wasm/precompiles.wasm', '--initialMemory', '16')
buildModule(
  'src/store/packing/assembly/index.ts',
  'dist/wasm/packing.wasm',
  ...['--enable', 'simd', '--initialMemory', '16'],
)
buildModule('src/state/trie/assembly/index.ts', 'dist/wasm/trie.wasm', '--initialMemory', '2')
// The interpreter twice: plain, and with hooks for tracers at every instruction.
for (const [name, traced] of Object.entries({ machine: 0, machineTraced: 1 })) {
  buildModule(
    'src/evm/assembly/index.ts',
    `dist/wasm/${name}.wasm`,
    ...['--use', 'abort=', '--use', `TRACED=${traced}`],
    // What assembly/layout.ts has before the heap and the arena grow: address space, not memory in use.
    ...['--initialMemory', '640', '--maximumMemory', '32767'],
  )
}
run('tsx/dist/cli.mjs', ['scripts/light.ts'])
// The page has the light provider in it.
run('tsx/dist/cli.mjs', ['scripts/explorer.ts'])
run('tsx/dist/cli.mjs', ['scripts/codeCache.ts'])
writeFileSync(stamp, onlyStale ? '' : whole)
// What was changed while it was built may not be in it.
utimesSync(stamp, begin, begin)
