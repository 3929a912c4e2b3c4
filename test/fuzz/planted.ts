// Plants each defect in a copy of the source and looks how soon random cases show it:
// `npm run long -- plantedDefects [part of a name]`. At most 10,000 cases for each.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createEvm, type Evm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { randomCase } from './cases.ts'
import { type Defect, defects } from './defects.ts'
import { runOnOracle } from './oracle.ts'
import { differences } from './outcome.ts'
import { runOnMachine } from './subject.ts'

const maxCases = 10_000
const seed = 20

const root = fileURLToPath(new URL('../../', import.meta.url))

/** A copy of the source with the mistake in it, built as far as it runs here: the plain interpreter. */
const plant = (folder: string, { name, file, right, wrong }: Defect): void => {
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
  cpSync(join(root, 'dist', 'evm', 'machine.wasm'), join(folder, 'dist', 'evm', 'machine.wasm'))
  cpSync(join(root, 'dist', 'evm', 'machineTraced.wasm'), join(folder, 'dist', 'evm', 'machineTraced.wasm'))
  cpSync(join(root, 'dist', 'wasm'), join(folder, 'dist', 'wasm'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const path = join(folder, 'src', 'evm', file)
  const source = readFileSync(path, 'utf8')
  if (source.split(right).length !== 2) throw new Error(`"${name}": its place is not exactly once in ${file}`)
  writeFileSync(
    path,
    source.replace(right, () => wrong),
  )
  if (file.startsWith('assembly/')) buildInterpreter(folder)
}

/** Without optimisation, which takes most of the time. */
const buildInterpreter = (folder: string): void => {
  const build = readFileSync(join(root, 'scripts', 'build.mjs'), 'utf8')
  const memory = /'--initialMemory', '(\d+)', '--maximumMemory', '(\d+)'/.exec(build)
  if (memory === null) throw new Error('build.mjs does not say how much memory the interpreter has')
  const [, initial = '', maximum = ''] = memory
  mkdirSync(join(folder, 'dist', 'evm'), { recursive: true })
  execFileSync(
    process.execPath,
    [
      join(root, 'node_modules', 'assemblyscript', 'bin', 'asc.js'),
      'src/evm/assembly/index.ts',
      ...['-O0', '--runtime', 'stub', '--noAssert', '--use', 'abort=', '--use', 'TRACED=0'],
      ...['--initialMemory', initial, '--maximumMemory', maximum, '-o', 'dist/wasm/machine.wasm'],
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  )
}

const load = async (folder: string): Promise<Evm> => {
  const at = (file: string): string => pathToFileURL(join(folder, 'src', 'evm', file)).href
  const evm: typeof import('../../src/evm/evm.ts') = await import(at('evm.ts'))
  const modules: typeof import('../../src/evm/host/evmModules.ts') = await import(at('modules.ts'))
  const table: typeof import('../../src/evm/precompiles/precompileTable.ts') = await import(
    at('precompiles/table.ts')
  )
  return evm.createEvm(await modules.loadEvmModules(), table.precompilesAt)
}

/** The first case in which the defect shows, and in what; undefined where none does. */
const findDefect = async (sound: Evm, broken: Evm): Promise<string | undefined> => {
  for (let index = 0; index < maxCases; index++) {
    const one = randomCase(seed, index)
    const apart = differences(runOnMachine(broken, one), runOnMachine(sound, one))
    if (apart.length === 0) continue
    // The reference has the last word: it sides with the sound machine.
    const verdict = differences(runOnMachine(sound, one), await runOnOracle(one))
    if (verdict.length > 0) throw new Error(`case ${index}: the reference differs in ${verdict.join(', ')}`)
    return `case ${index}: ${apart.join(', ')}`
  }
  return undefined
}

const part = process.argv[2] ?? ''
const sound = createEvm(await loadEvmModules(), precompilesAt)
let missed = 0
const chosen = defects.filter(({ name }) => name.includes(part))
for (const defect of chosen) {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-defect-'))
  try {
    plant(folder, defect)
    const found = await findDefect(sound, await load(folder))
    if (found === undefined) missed++
    console.log(`${found === undefined ? 'MISSED' : 'found '}  ${defect.name}${found ? `: ${found}` : ''}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
console.log(`${chosen.length - missed} of ${chosen.length} defects found within ${maxCases} cases`)
if (missed > 0) process.exitCode = 1
