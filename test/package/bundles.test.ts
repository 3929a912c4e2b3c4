import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  codeCachePath,
  decodeCodeCache,
  encodeCodeCache,
  wrapBundle,
} from '../../src/base/bundles/codeCache.ts'

const bundles = fileURLToPath(new URL('../../dist/bundles/', import.meta.url))

/** Runs a text in a Node without flags, whose compiled code is that of the program. */
const run = (
  text: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): string => execFileSync(process.execPath, [...flags, '--eval', text], { encoding: 'utf8', env })

describe('a bundle with compiled code beside it', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-bundle-'))
    file = join(folder, 'some.js')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const bundleOf = (value: string): string => `exports.value = '${value}'`

  /** Compiles a text in a Node as the one that runs it. */
  const compile = (text: string): Buffer => {
    const program = `process.stdout.write(new vm.Script(${JSON.stringify(wrapBundle(text))}).createCachedData().toString('base64'))`
    return Buffer.from(run(program), 'base64')
  }

  /** Writes a bundle, and beside it compiled code that claims to be that of a text. */
  const write = (value: string, { code, of }: { readonly code: Uint8Array; readonly of: string }): void => {
    writeFileSync(file, bundleOf(value))
    writeFileSync(codeCachePath(file), encodeCodeCache(Buffer.from(bundleOf(of)), code))
  }

  const load = (...options: [flags?: readonly string[], env?: Readonly<Record<string, string>>]): string =>
    run(
      `const { loadBundle } = require(${JSON.stringify(join(bundles, 'loader.js'))})
      process.stdout.write(loadBundle(${JSON.stringify(file)}).value)`,
      ...options,
    )

  it('runs from that code', () => {
    // Only code that lies about its text shows that it was used: V8 compares the lengths.
    write('new', { code: compile(bundleOf('old')), of: 'new' })
    expect(load()).toBe('old')
  })

  it('runs as it is when it was changed, even to a text of the same length', () => {
    write('new', { code: compile(bundleOf('old')), of: 'old' })
    expect(load()).toBe('new')
  })

  it.each([
    ['of another length', (code: Buffer) => code.subarray(0, -8)],
    ['with a changed head', (code: Buffer) => code.fill(1, 4, 8)],
    ['that is none', () => Buffer.from('nothing of the kind')],
    ['that is empty', () => Buffer.alloc(0)],
  ])('runs as it is beside code %s', (_, damage) => {
    write('new', { code: damage(compile(bundleOf('old'))), of: 'new' })
    expect(load()).toBe('new')
  })

  it('runs as it is beside code that was damaged since', () => {
    write('new', { code: compile(bundleOf('old')), of: 'new' })
    const content = readFileSync(codeCachePath(file))
    writeFileSync(codeCachePath(file), content.fill(1, content.length - 8))
    expect(load()).toBe('new')
  })

  it('runs as it is for those who want no kept code, or source maps', () => {
    write('new', { code: compile(bundleOf('old')), of: 'new' })
    expect(load([], { NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('new')
    expect(load(['--enable-source-maps'])).toBe('new')
  })

  it('runs as it is in a realm of its own', () => {
    write('new', { code: compile(bundleOf('old')), of: 'new' })
    const loader = JSON.stringify(join(bundles, 'loader.js'))
    const program = `
      const text = require('node:fs').readFileSync(${loader}, 'utf8')
      const realm = vm.createContext({ require, process, URL, exports: {}, __filename: ${loader} })
      vm.runInContext(text, realm)
      process.stdout.write(realm.exports.loadBundle(${JSON.stringify(file)}).value)`
    expect(run(program)).toBe('new')
  })
})

describe('the build', () => {
  const files = readdirSync(bundles).filter((name) => name.endsWith('.cache'))

  it('has the code of each bundle that threads or processes start with', () => {
    const names = files.map((name) => name.split('.', 1)[0])
    expect(names).toEqual(
      expect.arrayContaining(['app', 'call', 'follow', 'program', 'recovery', 'snapshot']),
    )
  })

  it.each(files)('V8 takes %s', (name) => {
    const bundle = join(bundles, `${name.split('.', 1)[0]}.js`)
    expect(codeCachePath(bundle)).toBe(join(bundles, name))
    const text = readFileSync(bundle)
    expect(text.some((byte) => byte > 0x7f)).toBe(false)
    expect(decodeCodeCache(text, readFileSync(join(bundles, name)))).toBeDefined()
    const program = `
      const { readFileSync } = require('node:fs')
      const text = ${JSON.stringify(wrapBundle('@'))}.replace('@', () => readFileSync(${JSON.stringify(bundle)}, 'latin1'))
      const cachedData = readFileSync(${JSON.stringify(join(bundles, name))}).subarray(8)
      process.stdout.write(String(new vm.Script(text, { cachedData }).cachedDataRejected))`
    expect(run(program)).toBe('false')
  })
})

describe('a Node.js that is too old', () => {
  it.each(['main', 'anvil'])(
    'is told of by %s in one line, before it is given what it cannot read',
    (name) => {
      const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })`
      const file = fileURLToPath(new URL(`../../dist/cli/${name}.js`, import.meta.url))
      const { status, stderr, stdout } = spawnSync(
        process.execPath,
        ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, file, '--help'],
        { encoding: 'utf8' },
      )
      expect({ status, stderr, stdout }).toEqual({
        status: 70,
        stderr: 'perihelion: Node.js 20.19 or newer is needed, and this is 18.20.8\n',
        stdout: '',
      })
    },
  )
})
