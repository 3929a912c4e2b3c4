import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bump, namedVersion, readVersion, versionedFiles } from '../../scripts/release/bump.ts'
import { findWeaknesses } from '../../scripts/release/findWeaknesses.ts'
import { readMaterials } from '../../scripts/release/materials.ts'
import { billOfMaterials, provenance } from '../../scripts/release/statements.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const namedVersions = (tree: string): readonly string[] =>
  versionedFiles(tree).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(namedVersion)].map(([, , version = '']) => version),
  )

test('images and package files that pages name have the version of package.json', () => {
  const versions = namedVersions(root)
  expect(versions.length).toBeGreaterThan(9)
  expect(new Set(versions)).toEqual(new Set([readVersion(root)]))
})

describe('a new version', () => {
  let tree = ''
  beforeEach(() => {
    tree = mkdtempSync(join(tmpdir(), 'perihelion-release-'))
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(root, file), join(tree, file))
    for (const file of versionedFiles(root))
      cpSync(file, join(tree, relative(root, file)), { recursive: true })
    writeFileSync(join(tree, 'CHANGELOG.md'), '# Changelog\n\n## [9.8.7] - unreleased\n\n- More.\n')
  })
  afterEach(() => rmSync(tree, { recursive: true, force: true }))

  test('is written wherever a version is', () => {
    bump(tree, '9.8.7', '2030-01-02T03:04:05.000Z')
    expect(readVersion(tree)).toBe('9.8.7')
    const lock = JSON.parse(readFileSync(join(tree, 'package-lock.json'), 'utf8'))
    expect([lock.version, lock.packages[''].version]).toEqual(['9.8.7', '9.8.7'])
    expect(new Set(namedVersions(tree))).toEqual(new Set(['9.8.7']))
    expect(readFileSync(join(tree, 'CHANGELOG.md'), 'utf8')).toContain('## [9.8.7] - 2030-01-02\n')
  })

  test('changes nothing else of the lock file', () => {
    const before = readFileSync(join(tree, 'package-lock.json'), 'utf8').split('\n')
    bump(tree, '9.8.7', '2030-01-02T03:04:05.000Z')
    const after = readFileSync(join(tree, 'package-lock.json'), 'utf8').split('\n')
    expect(after.filter((line, index) => line !== before[index])).toHaveLength(2)
  })

  test('needs its section in the changelog', () => {
    expect(() => bump(tree, '9.8.8', '2030-01-02T03:04:05.000Z')).toThrow(
      'CHANGELOG.md has no "## [9.8.8] - unreleased"',
    )
  })
})

describe('what a release is made of', () => {
  const materials = readMaterials(root)
  const release = { version: '9.8.7', commit: 'c0ffee', date: '2030-01-02T03:04:05.000Z', materials }

  test('the packages of the bundles and those that are installed beside them, each with its hash', () => {
    const find = (wanted: string) => materials.find(({ name }) => name === wanted)
    expect(find('postgres')?.isBundled).toBe(true)
    expect(find('secp256k1')?.isBundled).toBe(false)
    expect(find('vitest')).toBeUndefined()
    expect(materials.filter(({ integrity }) => integrity === undefined)).toEqual([])
  })

  test('the bill of materials names each of them once', () => {
    const { components, dependencies } = billOfMaterials(release)
    const names = components.map(({ purl }) => purl)
    expect(new Set(names).size).toBe(materials.length)
    expect(dependencies[0]?.dependsOn).toEqual(names)
    expect(names).toContainEqual(expect.stringMatching(/^pkg:npm\/%40noble\/curves@\d/))
    for (const { hashes } of components)
      expect(hashes?.[0]).toMatchObject({
        alg: 'SHA-512',
        content: expect.stringMatching(/^[0-9a-f]{128}$/),
      })
  })

  test('the provenance says which files were made from which commit', () => {
    const statement = provenance(release, [{ file: 'perihelion-9.8.7.tgz', sha256: 'ab' }], Buffer.from('{}'))
    expect(statement.subject).toEqual([{ name: 'perihelion-9.8.7.tgz', digest: { sha256: 'ab' } }])
    expect(statement.predicate.buildDefinition.resolvedDependencies[0]).toEqual({
      name: 'source',
      digest: { gitCommit: 'c0ffee' },
    })
  })
})

describe('what npm knows of weaknesses', () => {
  const report = JSON.stringify({
    vulnerabilities: {
      ws: { severity: 'high', via: [{ title: 'a frame without end' }] },
      vitest: { severity: 'critical', via: ['vite'] },
    },
  })

  test('is about what a user runs', () => {
    expect(findWeaknesses(report, ['postgres', 'ws'])).toEqual({
      weaknesses: [{ name: 'ws', severity: 'high', title: 'a frame without end' }],
    })
  })

  test('is nothing where the registry does not answer', () => {
    const refused = '{ "message": "405 Method Not Allowed", "method": "POST" }'
    expect(findWeaknesses(refused, ['ws'])).toEqual({ away: '405 Method Not Allowed' })
    expect(findWeaknesses('<html>', ['ws'])).toEqual({ away: 'npm printed no JSON' })
  })
})
