import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { KeystoreError } from '../../src/keystore/keystoreError.ts'
import { openNodeKeys } from '../../src/keystore/nodeKeys.ts'

/** The folder of the keys: who may look in, what counts as a key, and what is never followed. */

const key = fromHex('0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d')
const account = '0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b'

let home: string
let folder: string
const open = () => openNodeKeys({ home, isLight: true, devKeys: [] })
const accounts = (): string[] => open().keystore.list().map(toHex)
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'perihelion-keys-'))
  folder = join(home, 'keystore')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const addKey = async (): Promise<string> => {
  await open().files.add(key, 'p')
  const [name = ''] = readdirSync(folder)
  return join(folder, name)
}

describe('modes', () => {
  test.each([0o000, 0o022, 0o077, 0o277])('are 0700 and 0600 whatever the umask (%o)', async (mask) => {
    const before = process.umask(mask)
    try {
      const path = await addKey()
      expect(modeOf(folder)).toBe('700')
      expect(modeOf(path)).toBe('600')
    } finally {
      process.umask(before)
    }
  })

  test.each([0o755, 0o750, 0o701])('a folder of mode %o is refused', async (mode) => {
    await addKey()
    chmodSync(folder, mode)
    expect(open).toThrow(/^keystore is open to others: run chmod 700 on it$/)
  })

  test.each([0o644, 0o640, 0o604])('a file of mode %o does not open', async (mode) => {
    chmodSync(await addKey(), mode)
    await expect(open().files.open(fromHex(account), 'p')).rejects.toThrow(/run chmod 600/)
  })
})

describe('links', () => {
  test('a folder that is one is refused', async () => {
    await addKey()
    renameSync(folder, join(home, 'elsewhere'))
    symlinkSync(join(home, 'elsewhere'), folder)
    expect(open).toThrow(/is not a folder/)
  })

  test('a file that is one is not a key', async () => {
    const path = await addKey()
    renameSync(path, join(home, 'outside'))
    symlinkSync(join(home, 'outside'), path)
    expect(accounts()).toEqual([])
    await expect(open().files.open(fromHex(account), 'p')).rejects.toThrow(KeystoreError)
  })

  test('a file that becomes one is not followed', async () => {
    const keys = open()
    const path = await addKey()
    expect(keys.keystore.list()).toHaveLength(1)
    renameSync(path, join(home, 'outside'))
    symlinkSync(join(home, 'outside'), path)
    await expect(keys.files.open(fromHex(account), 'p')).rejects.toThrow(KeystoreError)
  })
})

describe('what is not a key', () => {
  test('hides none that is', async () => {
    const path = await addKey()
    mkdirSync(join(folder, 'folder'))
    writeFileSync(join(folder, 'notes.txt'), 'not JSON', { mode: 0o600 })
    writeFileSync(join(folder, 'list.json'), '[]', { mode: 0o600 })
    writeFileSync(join(folder, 'huge'), 'x'.repeat(100_000), { mode: 0o600 })
    writeFileSync(join(folder, '.hidden'), readFileSync(path), { mode: 0o600 })
    writeFileSync(`${path}~`, readFileSync(path), { mode: 0o600 })
    expect(accounts()).toEqual([account])
  })

  test('a file that names no address is listed without one', async () => {
    const path = await addKey()
    const { address, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as { address: string }
    rmSync(path)
    writeFileSync(join(folder, 'foundry'), JSON.stringify(rest), { mode: 0o600 })
    expect(address).toBe(account.slice(2))
    expect(open().files.files()).toMatchObject([{ name: 'foundry', address: undefined }])
    expect(accounts()).toEqual([])
  })

  test('two files of one account are not chosen from', async () => {
    const path = await addKey()
    writeFileSync(join(folder, 'copy'), readFileSync(path), { mode: 0o600 })
    expect(accounts()).toEqual([account])
    await expect(open().files.open(fromHex(account), 'p')).rejects.toThrow(/multiple keys match address/)
  })
})

test('keys that another program puts there are seen, and those that it takes away', async () => {
  const keys = open()
  expect(keys.keystore.list()).toEqual([])
  const path = await addKey()
  expect(keys.keystore.list().map(toHex)).toEqual([account])
  await open().keystore.create('another')
  expect(keys.keystore.list()).toHaveLength(2)
  rmSync(path)
  expect(keys.keystore.list()).toHaveLength(1)
})

test('a new password takes the place of the old one in the same file', async () => {
  const path = await addKey()
  await open().files.update(fromHex(account), 'p', 'q')
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([path])
  expect(modeOf(path)).toBe('600')
  await expect(open().files.open(fromHex(account), 'p')).rejects.toThrow('could not decrypt key')
  expect(toHex(await open().files.open(fromHex(account), 'q'))).toBe(toHex(key))
})

test('a write that fails leaves what was there, and nothing beside it', async () => {
  const path = await addKey()
  const before = readFileSync(path, 'utf8')
  const keys = open()
  keys.keystore.list()
  await expect(keys.files.update(fromHex(account), 'wrong', 'q')).rejects.toThrow()
  expect(readFileSync(path, 'utf8')).toBe(before)
  rmSync(folder, { recursive: true })
  writeFileSync(folder, '')
  await expect(keys.files.add(fromHex(`0x${'11'.repeat(32)}`), 'q')).rejects.toThrow(/is not a folder/)
  expect(readdirSync(home)).toEqual(['keystore'])
})

test('memory is left out of core dumps', (ctx) => {
  if (process.platform !== 'linux') ctx.skip('only Linux has the setting')
  open()
  expect(Number(`0x${readFileSync('/proc/self/coredump_filter', 'utf8').trim()}`)).toBe(0)
})
