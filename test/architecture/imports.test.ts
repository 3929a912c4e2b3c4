import { describe, expect, test } from 'vitest'
import { importsOf, programFiles } from './programFiles.ts'

/**
 * What each folder of `src` may import directly, as docs/architecture.md has it. Everybody may import `base`, and `base`
 * nobody. Test files may also import what they need to set a case up, so only programs are held to it.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  base: [],
  home: [],
  config: ['home'],
  chain: [],
  cosmos: ['chain'],
  rpc: ['config'],
  events: ['chain'],
  keystore: [],
  evm: ['chain'],
  state: ['chain'],
  store: ['chain'],
  pool: ['chain', 'evm'],
  app: ['chain', 'cosmos', 'evm', 'home', 'state', 'store'],
  fork: ['chain'],
  execute: ['app', 'chain', 'evm', 'fork', 'state', 'store'],
  served: ['chain', 'pool', 'store'],
  engine: ['app', 'chain', 'comet', 'cosmos', 'execute', 'pool', 'state', 'store'],
  node: ['app', 'chain', 'engine', 'execute', 'fork', 'pool', 'served', 'state', 'store', 'evm'],
  comet: ['cosmos'],
  light: ['chain', 'comet', 'cosmos'],
  provider: ['chain', 'comet', 'cosmos', 'evm', 'execute', 'light'],
  families: ['chain', 'comet', 'cosmos', 'light', 'served', 'store'],
  gateway: [
    ...['chain', 'comet', 'cosmos', 'evm', 'execute', 'families', 'home', 'light', 'pool', 'served'],
    'store',
  ],
  solidity: ['chain'],
  api: ['rpc', 'chain', 'events', 'keystore', 'solidity'],
  service: [
    ...['config', 'chain', 'rpc', 'events', 'keystore', 'pool', 'execute', 'engine', 'node', 'app'],
    ...['fork', 'gateway', 'api', 'comet', 'cosmos', 'home', 'solidity', 'provider'],
  ],
  follow: [],
  cli: [
    ...['service', 'config', 'follow', 'home', 'app', 'state', 'store', 'evm', 'keystore', 'chain'],
    'solidity',
  ],
}

const sources = programFiles('src')

/** The folder of `src` that a file is in; the package's entry stands above all of them. */
const folderOf = (path: string): string => /^src\/([^/]+)\//.exec(path)?.[1] ?? 'index'

interface Arrow {
  readonly from: string
  readonly to: string
  readonly text: string
}

/** Every import from one folder of `src` into another. */
const arrows: readonly Arrow[] = sources.flatMap((path) =>
  importsOf(path)
    .map((target) => ({
      from: folderOf(path),
      to: folderOf(target),
      text: `${path} imports ${target}`,
    }))
    .filter(({ from, to }) => from !== to && from !== 'index'),
)

/** What the node and the explorer both go by (docs/decisions/0110-tables-of-two-programs.md). */
const tables = ['src/base/encoding/printable.ts', 'src/chain/abi/signatures.ts', 'src/solidity/sourceMap.ts']
/** The codec of Solidity's ABI, whose files import each other alone. */
const codec = 'src/base/abi/'
const isShared = (path: string): boolean => tables.includes(path) || path.startsWith(codec)

describe('imports follow the arrows of the design', () => {
  test('every folder of src is in the list', () => {
    const folders = new Set(sources.map(folderOf).filter((folder) => folder !== 'index'))
    expect([...folders].sort()).toEqual(Object.keys(allowed).sort())
  })

  test('no folder imports what its list does not name', () => {
    const wrong = arrows.filter(({ from, to }) => to !== 'base' && !allowed[from]?.includes(to))
    expect(wrong.map(({ text }) => text)).toEqual([])
  })

  test('no permission is left that nobody uses', () => {
    const used = new Set(arrows.map(({ from, to }) => `${from} → ${to}`))
    const granted = Object.entries(allowed).flatMap(([from, list]) => list.map((to) => `${from} → ${to}`))
    expect(granted.filter((permission) => !used.has(permission))).toEqual([])
  })

  test('the explorer is a program of its own, which reads tables of the node', () => {
    const isOfExplorer = (path: string): boolean => path.startsWith('explorer/')
    const wrong = [...sources, ...programFiles('explorer')].flatMap((path) =>
      importsOf(path)
        .filter((target) => isOfExplorer(target) !== isOfExplorer(path))
        .filter((target) => !isOfExplorer(path) || !isShared(target))
        .map((target) => `${path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test.each(tables)('%s imports nothing, and the explorer reads it', (table) => {
    expect(importsOf(table)).toEqual([])
    expect(programFiles('explorer').some((path) => importsOf(path).includes(table))).toBe(true)
  })

  test('the codec that the explorer shares imports nothing but itself', () => {
    const imported = programFiles(codec).flatMap((path) => importsOf(path))
    expect(imported.length).toBeGreaterThan(0)
    expect(imported.filter((target) => !target.startsWith(codec))).toEqual([])
  })

  test('the check sees imports at all', () => {
    expect(importsOf('src/cli/main.ts').length).toBeGreaterThan(3)
  })
})
