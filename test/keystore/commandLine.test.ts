import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decryptKeystoreJson } from 'ethers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { openNodeKeys } from '../../src/keystore/nodeKeys.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'

/** `perihelion account`, as a program. */

const key = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const account = '0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b'
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const foundryFile = fileURLToPath(new URL('./files/foundry.json', import.meta.url))

let folder: string
let home: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-keys-'))
  home = join(folder, 'home')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

const perihelion = async (...args: readonly string[]) => {
  const program = runProgram(['account', ...args, '--home', home])
  const code = await program.ended()
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}

const keyOf = async (password: string): Promise<string> => {
  const keys = openNodeKeys({ home, isLight: true, devKeys: [] })
  return toHex(await keys.files.open(fromHex(account), password))
}

test('a key goes in, gets another password, and comes out', slow, async () => {
  const first = file('first', 'first\nsecond line')
  const second = file('second', 'second')
  const imported = await perihelion(
    'import',
    file('raw', `0x${key}\n`),
    '--password-file',
    first,
    '--lightkdf',
  )
  expect(imported).toMatchObject({ code: 0, stderr: '' })
  const [name = ''] = readdirSync(join(home, 'keystore'))
  const line = `${account} ${join(home, 'keystore', name)}\n`
  expect(imported.stdout).toBe(line)
  expect((await perihelion('list')).stdout).toBe(line)
  expect(await keyOf('first')).toBe(`0x${key}`)
  const passwords = ['--password-file', first, '--new-password-file', second]
  expect((await perihelion('update', account, ...passwords, '--lightkdf')).stdout).toBe(line)
  expect(await keyOf('second')).toBe(`0x${key}`)

  const plain = join(folder, 'plain')
  const exporting = ['export', account, plain, '--password-file', second, '--private-key']
  expect(await perihelion(...exporting)).toMatchObject({ code: 0, stdout: `${account} ${plain}\n` })
  expect(readFileSync(plain, 'utf8')).toBe(`${key}\n`)
  expect(statSync(plain).mode & 0o777).toBe(0o600)
  // Not over a file that is there.
  expect(await perihelion(...exporting)).toMatchObject({
    code: 74,
    stderr: expect.stringContaining('EEXIST'),
  })
  const encrypted = join(folder, 'encrypted')
  await perihelion(
    'export',
    account,
    encrypted,
    '--password-file',
    second,
    '--new-password-file',
    first,
    '--lightkdf',
  )
  const opened = await decryptKeystoreJson(readFileSync(encrypted, 'utf8'), 'first')
  expect(opened.privateKey).toBe(`0x${key}`)
})

test('a key file of another program is taken over', async () => {
  const copy = file('foundry', readFileSync(foundryFile, 'utf8'))
  const password = file('password', 'correct horse')
  expect(await perihelion('import', copy, '--password-file', password, '--lightkdf')).toMatchObject({
    code: 0,
  })
  expect(await keyOf('correct horse')).toBe(`0x${key}`)
  expect(await perihelion('import', copy, '--password-file', password)).toMatchObject({
    code: 74,
    stderr: 'perihelion: account already exists\n',
  })
})

describe('refuses', () => {
  test('files that others can read', async () => {
    const password = file('password', 'p')
    chmodSync(password, 0o644)
    expect(await perihelion('new', '--password-file', password)).toMatchObject({
      code: 74,
      stderr: 'perihelion: the password file can be read by others: run chmod 600 on it\n',
    })
    expect(existsSync(join(home, 'keystore'))).toBe(false)
  })

  test('to start on a folder of keys that others can enter', async () => {
    await openNodeKeys({ home: folder, isLight: true, devKeys: [] }).keystore.create('p')
    chmodSync(join(folder, 'keystore'), 0o755)
    const program = runProgram(['start', ...isolatedFlags(folder)])
    expect(await program.ended()).toBe(74)
    expect(program.stderr()).toMatch(/keystore is open to others: run chmod 700 on it\n$/)
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })
})

test('a node that runs sees an account that is made beside it', async () => {
  const node = openNodeKeys({ home, isLight: true, devKeys: [] })
  expect(node.keystore.list()).toEqual([])
  await perihelion('import', file('raw', key), '--password-file', file('p', 'p'), '--lightkdf')
  expect(node.keystore.list().map(toHex)).toEqual([account])
})

const hasScript = spawnSync('script', ['--version']).status === 0

describe.skipIf(!hasScript)('a person at a terminal (skipped without script(1), which makes one)', () => {
  /** Types each answer once its question is there. */
  const type = async (args: readonly string[], answers: readonly (readonly [string, string])[]) => {
    const command = [process.execPath, main, 'account', ...args, '--home', home]
      .map((part) => `'${part}'`)
      .join(' ')
    const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const left = [...answers]
    let screen = ''
    let seen = 0
    child.stdout.on('data', (chunk) => {
      screen += chunk
      const [question, answer] = left[0] ?? []
      const at = question === undefined ? -1 : screen.indexOf(question, seen)
      if (answer === undefined || at < 0) return
      seen = at + (question ?? '').length
      left.shift()
      child.stdin.write(answer)
    })
    const [code] = await once(child, 'close')
    return { code: code as number, screen }
  }

  test('is asked twice, and nobody reads along', async () => {
    const { code, screen } = await type(
      ['new', '--lightkdf'],
      [
        ['Password: ', 'hinter2\x7f\x7f\x7f\x7f\x7f\x7funter2\r'],
        ['Password again: ', 'hunter2\r'],
      ],
    )
    expect(code).toBe(0)
    expect(screen).not.toMatch(/unter|hinter/)
    const keys = openNodeKeys({ home, isLight: true, devKeys: [] })
    const [address = new Uint8Array()] = keys.keystore.list()
    expect(await keys.files.open(address, 'hunter2')).toHaveLength(32)
  })

  test.each([
    [
      'mistypes',
      [
        ['Password: ', 'one\r'],
        ['Password again: ', 'two\r'],
      ],
      'the two passwords differ',
    ],
    ['changes their mind', [['Password: ', 'on\x03']], 'no password was given'],
  ] as const)('%s', async (_, answers, words) => {
    const { code, screen } = await type(['new'], answers)
    expect(code).toBe(64)
    expect(screen).toContain(words)
    expect(existsSync(join(home, 'keystore'))).toBe(false)
  })
})
