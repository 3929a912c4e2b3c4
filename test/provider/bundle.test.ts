import { gzipSync } from 'node:zlib'
import type { OutputChunk } from 'rolldown'
import { beforeAll, describe, expect, test } from 'vitest'
import { bundleLight } from '../../scripts/lightBundle.ts'

/** `perihelion/light` as browsers load it. */
describe('the bundle of the light provider', () => {
  let chunks: ReadonlyMap<string, OutputChunk>

  beforeAll(async () => {
    chunks = new Map((await bundleLight()).map((chunk) => [chunk.fileName, chunk]))
  })

  /** The files that are loaded with these, compressed. */
  const sizeOf = (...names: readonly string[]): number => {
    const loaded = new Set<string>()
    const load = (name: string): void => {
      if (loaded.has(name)) return
      loaded.add(name)
      for (const next of chunks.get(name)?.imports ?? []) load(next)
    }
    for (const name of names) load(name)
    return [...loaded].reduce((sum, name) => sum + gzipSync(chunks.get(name)?.code ?? '').length, 0)
  }

  test('needs less than 100 KB without calls', () => {
    expect(sizeOf('index.js')).toBeGreaterThan(30_000)
    expect(sizeOf('index.js')).toBeLessThan(70_000)
  })

  test('needs less than 250 KB with the EVM, tracers included', () => {
    const size = sizeOf('index.js', 'callMethods.js', 'machine.js', 'machineTraced.js', 'precompiles.js')
    expect(size).toBeGreaterThan(100_000)
    expect(size).toBeLessThan(190_000)
  })

  test('loads the EVM and its curves with what needs them first', () => {
    const later = [...chunks.values()].filter(({ isDynamicEntry }) => isDynamicEntry)
    expect(later.map(({ fileName }) => fileName).sort()).toEqual([
      'callMethods.js',
      'machine.js',
      'machineTraced.js',
      'mcl.js',
      'precompiles.js',
    ])
    const { imports = [] } = chunks.get('index.js') ?? {}
    expect(imports.filter((name) => later.some(({ fileName }) => fileName === name))).toEqual([])
  })
})
