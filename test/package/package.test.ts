import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

interface PackageFile {
  readonly version: string
  readonly private?: boolean
  readonly dependencies: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
}

/** The package as its users get it: unpacked in a folder that has its declared dependencies and nothing else. */
describe('the packed package', slow, () => {
  const folder = temporaryHome()
  const modules = join(folder, 'node_modules')
  const installed = join(modules, 'perihelion')
  const {
    version,
    dependencies,
    bin,
    private: isPrivate,
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageFile
  const main = join(installed, bin.perihelion ?? '')
  let packed: Packed

  beforeAll(() => {
    // Without scripts: `prepare` would build anew what other tests run from.
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
    const output = execFileSync('npm', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    packed = (JSON.parse(output) as [Packed])[0]
    mkdirSync(installed, { recursive: true })
    execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components', '1'])
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), join(modules, name))
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('holds the build and no tests', () => {
    const paths = packed.files.map(({ path }) => path)
    const besides = new Set(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
    expect(paths.filter((path) => !path.startsWith('dist/') && !besides.has(path))).toEqual([])
    expect(paths.filter((path) => /\.test\./.test(path))).toEqual([])
    expect(paths).toContain('LICENSE')
  })

  test('is small, and for everybody', () => {
    // A seventh of it is the light provider that the explorer proves with, for browsers, with gzip and with brotli.
    expect(packed.size).toBeLessThan(4_350_000)
    expect(isPrivate).toBeUndefined()
    // Compiled code is of one version of Node on one kind of machine.
    expect(packed.files.filter(({ path }) => path.endsWith('.cache'))).toEqual([])
  })

  test('has types that name only what is in it, and what it depends on', () => {
    const folders = join(installed, 'dist', 'types')
    const files = readdirSync(folders, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.d.ts'),
    )
    const named = files.flatMap((file) => {
      const text = readFileSync(join(folders, file), 'utf8')
      return [...text.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)].map(([, name = '']) => ({
        file,
        name,
      }))
    })
    const isThere = ({ file, name }: (typeof named)[number]) =>
      name.startsWith('.')
        ? existsSync(join(folders, dirname(file), name.replace(/\.ts$/, '.d.ts')))
        : name in dependencies
    expect(named.length).toBeGreaterThan(100)
    expect(named.filter((entry) => !isThere(entry))).toEqual([])
  })

  test('says its version', async () => {
    const program = runProgram(['version'], {}, main)
    expect(await program.ended()).toBe(0)
    expect(program.stdout()).toBe(`${version}\n`)
  })

  test('starts a chain, answers and stops', async () => {
    const program = runProgram(['start', ...isolatedFlags(join(folder, 'home'))], {}, main)
    const { http = '' } = await program.ready()
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
    expect(JSON.parse(await postJson(http, body))).toMatchObject({ result: '0x7a69' })
    program.child.kill('SIGTERM')
    expect(await program.ended()).toBe(0)
  })
})
