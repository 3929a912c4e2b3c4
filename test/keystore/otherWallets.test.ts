import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decryptKeystoreJson, encryptKeystoreJson, Wallet } from 'ethers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { KeyCipher } from '../../src/keystore/keyFile/cipher.ts'
import { parseKeyFile, renderKeyFile } from '../../src/keystore/keyFile/keyFile.ts'
import { openNodeKeys } from '../../src/keystore/nodeKeys.ts'
import { findGeth } from '../support/programs/findProgram.ts'
import { slow } from '../support/slow.ts'

/** Key files that others wrote open here, and ours open there. */

const files = fileURLToPath(new URL('./files', import.meta.url))
const key = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const account = '0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b'
const password = 'correct horse'
const cipher = new KeyCipher({ isLight: true })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Written by geth 1.17.6, ethers 6.17.0, cast 1.7.1 of Foundry, and eth-account 0.14.0 of web3.py. */
test.each(['geth.json', 'ethers.json', 'foundry.json', 'web3py-scrypt.json', 'web3py-pbkdf2.json'])(
  '%s opens',
  async (name) => {
    const file = parseKeyFile(readFileSync(join(files, name), 'utf8'))
    expect(toHex(await cipher.decrypt(file, password))).toBe(key)
    await expect(cipher.decrypt(file, 'correct horsf')).rejects.toThrow('could not decrypt key')
  },
)

describe('ethers', () => {
  test('opens ours', async () => {
    const text = renderKeyFile(await cipher.encrypt(fromHex(key), password))
    expect(await decryptKeystoreJson(text, password)).toMatchObject({ privateKey: key })
  })

  test('opens ours with the full parameters', slow, async () => {
    const text = renderKeyFile(await new KeyCipher({ isLight: false }).encrypt(fromHex(key), password))
    expect(JSON.parse(text)).toMatchObject({ crypto: { kdfparams: { n: 262_144, r: 8, p: 1, dklen: 32 } } })
    expect((await Wallet.fromEncryptedJson(text, password)).address.toLowerCase()).toBe(account)
  })

  test.each(['', 'pässwörd', '密码', '🔑 key', 'ﬁle', 'Å', ' a\u00a0b '])(
    'writes with the password %j what opens here',
    async (given) => {
      const text = await encryptKeystoreJson(new Wallet(key), given, { scrypt: { N: 16, r: 1, p: 1 } })
      expect(toHex(await cipher.decrypt(parseKeyFile(text), given))).toBe(key)
    },
  )
})

describe('geth', () => {
  const geth = findGeth()
  /** It asks for passwords on a line each where there is no terminal. */
  const run = (args: readonly string[], input = ''): string =>
    execFileSync(geth ?? '', ['--datadir', folder, ...args], { encoding: 'utf8', input, stdio: 'pipe' })

  test('lists our file and opens it', async (ctx) => {
    if (geth === undefined) ctx.skip('geth is neither on the path nor named by GETH')
    const keys = openNodeKeys({ home: folder, isLight: true, devKeys: [] })
    await keys.keystore.importKey(fromHex(key), password)
    expect(run(['account', 'list'])).toContain(`{${account.slice(2)}} keystore://${folder}/keystore/UTC--`)
    // It decrypts the key and encrypts it again, in the same file.
    const [name = ''] = readdirSync(join(folder, 'keystore'))
    const before = readFileSync(join(folder, 'keystore', name), 'utf8')
    run(['--lightkdf', 'account', 'update', account], `${password}\n`.repeat(3))
    expect(readFileSync(join(folder, 'keystore', name), 'utf8')).not.toBe(before)
    expect(toHex(await keys.files.open(fromHex(account), password))).toBe(key)
  })

  test('imports a key that we find and open', async (ctx) => {
    if (geth === undefined) ctx.skip('geth is neither on the path nor named by GETH')
    writeFileSync(join(folder, 'password'), password, { mode: 0o600 })
    writeFileSync(join(folder, 'key'), key.slice(2), { mode: 0o600 })
    run(['--lightkdf', '--password', join(folder, 'password'), 'account', 'import', join(folder, 'key')])
    const keys = openNodeKeys({ home: folder, isLight: true, devKeys: [] })
    expect(keys.keystore.list().map(toHex)).toEqual([account])
    expect(toHex(await keys.files.open(fromHex(account), password))).toBe(key)
  })
})

test('a file of geth in the folder is one of our accounts', async () => {
  mkdirSync(join(folder, 'keystore'), { mode: 0o700 })
  const target = join(folder, 'keystore', 'any name')
  cpSync(join(files, 'geth.json'), target)
  const keys = openNodeKeys({ home: folder, isLight: true, devKeys: [] })
  expect(keys.keystore.list().map(toHex)).toEqual([])
  // As everybody may read it, it is not taken for one.
  execFileSync('chmod', ['600', target])
  expect(openNodeKeys({ home: folder, isLight: true, devKeys: [] }).keystore.list().map(toHex)).toEqual([
    account,
  ])
})
