// Builds everything the program runs from: `dist/` from `src/`.
// With --if-stale it does nothing when the output is newer than every source, so that `npm start` and `npm test`
// work in a tree where no install script ran, and cost nothing where one did.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'dist', '.built')
const inputs = ['src', 'scripts/build.mjs', 'package.json', 'tsconfig.json', 'tsconfig.build.json']

const newest = (path) => {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return readdirSync(path).reduce((max, name) => Math.max(max, newest(join(path, name))), stat.mtimeMs)
}

const isFresh = () => {
  if (!existsSync(stamp)) return false
  const built = statSync(stamp).mtimeMs
  return inputs.every((input) => newest(join(root, input)) <= built)
}

const run = (command, args) => {
  const { status, error } = spawnSync(process.execPath, [join(root, 'node_modules', command), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0)
rmSync(join(root, 'dist'), { recursive: true, force: true })
run('typescript/bin/tsc', ['-p', 'tsconfig.build.json'])
// Found by `src` and `dist` alike: both are one folder below the root.
run('assemblyscript/bin/asc.js', [
  'src/evm/assembly/precompiles/index.ts',
  ...['-O3', '--runtime', 'stub', '--noAssert', '--initialMemory', '16'],
  ...['-o', 'dist/wasm/precompiles.wasm'],
])
// The interpreter twice: plain, and with hooks for tracers at every instruction.
for (const [name, traced] of Object.entries({ machine: 0, machineTraced: 1 })) {
  run('assemblyscript/bin/asc.js', [
    'src/evm/assembly/index.ts',
    ...['-O3', '--runtime', 'stub', '--noAssert', '--use', 'abort=', '--use', `TRACED=${traced}`],
    // The regions of assembly/layout.ts up to the arena, which grows: address space, not memory in use.
    ...['--initialMemory', '11584', '--maximumMemory', '32767'],
    ...['-o', `dist/evm/${name}.wasm`],
  ])
}
writeFileSync(stamp, '')
