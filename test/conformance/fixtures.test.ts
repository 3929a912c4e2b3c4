import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Checksums,
  fromFolder,
  fromRepository,
  officialSuites,
  placeSuite,
  readChecksums,
} from '../../scripts/officialSuites.ts'

/** `npm run fixtures` with a repository of our own in the place of a public one. */
describe('the official suites', () => {
  let folder: string
  let repository: string
  let commit: string

  const git = (...args: readonly string[]): string =>
    execFileSync(
      'git',
      ['-C', repository, '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args],
      {
        encoding: 'utf8',
      },
    ).trim()
  const sum = (text: string): string => createHash('sha256').update(text).digest('hex')
  const suite = () => ({ name: 'own', repository: `file://${repository}`, commit, folder: 'tests' })
  const checksums: Checksums = new Map([
    ['a/one.io', sum('one')],
    ['genesis.json', sum('{}')],
  ])
  const filesIn = (target: string): string[] =>
    readdirSync(target, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(target, name)).isFile())
      .sort()

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-fixtures-'))
    repository = join(folder, 'repository')
    const files = {
      'tests/a/one.io': 'one',
      'tests/a/two.io': 'two',
      'tests/genesis.json': '{}',
      'other/x': 'x',
    }
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(repository, name)), { recursive: true })
      writeFileSync(join(repository, name), text)
    }
    git('init', '--quiet')
    git('add', '--all')
    git('commit', '--quiet', '--message=first')
    commit = git('rev-parse', 'HEAD')
    // The pinned commit is not the newest one.
    writeFileSync(join(repository, 'tests/a/one.io'), 'changed')
    git('commit', '--quiet', '--all', '--message=second')
    // As a public server is set.
    git('config', 'uploadpack.allowFilter', 'true')
    git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('come from a repository at the commit that is pinned, and no file that is not asked for', async () => {
    const target = join(folder, 'fetched', 'own')
    await placeSuite(target, checksums, fromRepository(suite()))
    expect(filesIn(target)).toEqual(['a/one.io', 'genesis.json'])
    expect(readFileSync(join(target, 'a/one.io'), 'utf8')).toBe('one')
    expect(readdirSync(dirname(target))).toEqual(['own'])
  })

  test('are refused where a file is another one, and what was there stays', async () => {
    const target = join(folder, 'kept')
    const source = fromFolder(join(repository, 'tests'))
    await placeSuite(target, new Map([['a/two.io', sum('two')]]), source)
    await expect(placeSuite(target, checksums, source)).rejects.toThrow(
      '1 of 2 files are missing or not what they were: a/one.io',
    )
    expect(filesIn(target)).toEqual(['a/two.io'])
  })

  test('are refused where the repository is not there', async () => {
    const source = fromRepository({ ...suite(), repository: `file://${folder}/nothing` })
    await expect(placeSuite(join(folder, 'none'), checksums, source)).rejects.toThrow(
      'does not appear to be a git repository',
    )
  })

  test.each(officialSuites)('$name is pinned, with a checksum for each file', async ({ name, commit }) => {
    expect(commit).toMatch(/^[0-9a-f]{40}$/)
    const file = fileURLToPath(new URL(`../fixtures/checksums/${name}.sha256.gz`, import.meta.url))
    const known = [...(await readChecksums(file))]
    expect(known.length).toBeGreaterThan(100)
    expect(known.filter(([path, text]) => path === '' || !/^[0-9a-f]{64}$/.test(text))).toEqual([])
  })
})
