import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hashKey } from './apiKeys.ts'
import { addKey, readKeyFile } from './keyFile.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-keys-'))
  path = join(folder, 'keys.toml')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the file of API keys', () => {
  test.skipIf(process.platform !== 'linux')(
    'a pipe without a writer and a device without an end are not files',
    () => {
      execFileSync('mkfifo', [path])
      expect(readKeyFile(path)).toEqual([])
      expect(() => readKeyFile('/dev/zero')).toThrow('/dev/zero has more than')
      expect(() => readKeyFile(folder)).toThrow('is a folder')
    },
  )

  test('gets keys by name, and has only their hashes', () => {
    const [first, second] = [addKey(path, 'first'), addKey(path, 'second')]
    expect(first).toMatch(/^[\w-]{43}$/)
    expect(second).not.toBe(first)
    expect(readFileSync(path, 'utf8')).not.toContain(first)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const entry = { rate: 0, burst: 1, namespaces: undefined }
    expect(readKeyFile(path)).toMatchObject([
      { ...entry, name: 'first', sha256: hashKey(first) },
      { ...entry, name: 'second', sha256: hashKey(second) },
    ])
    expect(() => addKey(path, 'first')).toThrow(/has a key with the name first already/)
    expect(() => addKey(path, 'a "name"')).toThrow(/letters, digits/)
  })

  test('says what a key may do', () => {
    const sha256 = hashKey('x')
    writeFileSync(
      path,
      `[[key]]\nname = "a"\nsha256 = "${sha256}"\nrate = 10\nnamespaces = ["eth"]\ncost = { trace = 100 }\n`,
    )
    expect(readKeyFile(path)).toEqual([
      {
        name: 'a',
        sha256,
        rate: 10,
        burst: 10,
        namespaces: ['eth'],
        cost: { cheap: 1, state: 2, logs: 5, evm: 5, trace: 100, write: 2 },
      },
    ])
  })

  test.each([
    ['not TOML', '[[key'],
    ['an unknown member', `[[key]]\nname = "a"\nsha256 = "${hashKey('x')}"\nrates = 1\n`],
    ['no hash', '[[key]]\nname = "a"\n'],
    ['a negative rate', `[[key]]\nname = "a"\nsha256 = "${hashKey('x')}"\nrate = -1\n`],
    ['one key twice', `[[key]]\nname = "a"\nsha256 = "${hashKey('x')}"\n`.repeat(2)],
  ])('%s is one line with the path', (_, text) => {
    writeFileSync(path, text)
    expect(() => readKeyFile(path)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/keys\.toml.+$/) }),
    )
  })
})
