import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/**
 * The arrows of docs/architecture.md. A folder may import those it points to and whatever they point to; `base` may be
 * imported by all, and nothing is imported the other way round.
 */
const arrows: Readonly<Record<string, readonly string[]>> = {
  base: [],
  config: ['base'],
  chain: ['base'],
  rpc: ['config'],
  events: ['chain'],
  keystore: ['chain'],
  evm: ['chain'],
  state: ['chain'],
  store: ['chain'],
  pool: ['evm', 'state', 'store'],
  app: ['evm', 'state', 'store'],
  served: ['events', 'pool', 'store'],
  engine: ['app'],
  node: ['engine', 'pool', 'served', 'events', 'keystore', 'config'],
  gateway: ['engine', 'pool', 'served', 'events', 'keystore', 'config'],
  explorer: [],
  api: ['rpc', 'chain', 'events', 'keystore'],
  cli: ['api', 'node', 'gateway', 'explorer'],
}

const reach = (folder: string): ReadonlySet<string> => {
  const direct = arrows[folder] ?? []
  return new Set(['base', folder, ...direct, ...direct.flatMap((next) => [...reach(next)])])
}

const src = fileURLToPath(new URL('../../src', import.meta.url))

const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes(`assembly${sep}`))
  .sort()

const folderOf = (path: string): string => path.split(sep)[0] as string

const importsOf = (path: string): string[] => {
  const text = readFileSync(join(src, path), 'utf8')
  const specifiers = text.matchAll(/(?:\bfrom\s+|\bimport\s+|\bimport\()'(\.[^']+)'/g)
  return [...specifiers].map(([, specifier]) => join(dirname(path), specifier as string))
}

describe('imports follow the arrows of the design', () => {
  test('every folder of src is in the picture', () => {
    const folders = new Set(sources.map(folderOf))
    expect([...folders].filter((folder) => !(folder in arrows))).toEqual([])
  })

  test('no arrow is against the design', () => {
    const wrong = sources.flatMap((path) =>
      importsOf(path)
        .filter((target) => !target.startsWith('..') && !reach(folderOf(path)).has(folderOf(target)))
        .map((target) => `${path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('the protocol layer knows no Ethereum', () => {
    expect([...reach('rpc')].sort()).toEqual(['base', 'config', 'rpc'])
  })

  test('the check sees imports at all', () => {
    expect(importsOf(relative(src, join(src, 'cli', 'main.ts'))).length).toBeGreaterThan(3)
  })
})
