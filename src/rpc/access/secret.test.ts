import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exitCodes } from '../../base/exit.ts'
import { loadSecret } from './secret.ts'

describe('the file with the secret', () => {
  let home: string
  let file: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'perihelion-'))
    file = join(home, 'jwt.hex')
  })
  afterEach(() => rmSync(home, { recursive: true }))

  const put = (content: string, mode = 0o600): void => {
    writeFileSync(file, content)
    chmodSync(file, mode)
  }

  test('is made on first use, for the owner alone whatever the umask, and is then the same', () => {
    const umask = process.umask(0)
    try {
      const secret = loadSecret(home)
      expect(secret).toHaveLength(32)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readFileSync(file, 'utf8').trim()).toBe(Buffer.from(secret).toString('hex'))
      expect(loadSecret(home)).toEqual(secret)
    } finally {
      process.umask(umask)
    }
  })

  test('two homes have two secrets', () => {
    const other = join(home, 'other')
    mkdirSync(other)
    expect(loadSecret(home)).not.toEqual(loadSecret(other))
  })

  test.each(['', '0x'])('the digits may have the prefix "%s" and white space after them', (prefix) => {
    put(`${prefix}${'Ab'.repeat(32)}\r\n`)
    expect(loadSecret(home)).toEqual(new Uint8Array(32).fill(0xab))
  })

  test.each([0o644, 0o640, 0o604, 0o660, 0o601])('mode %o is rejected', (mode) => {
    put('ab'.repeat(32), mode)
    expect(() => loadSecret(home)).toThrow(expect.objectContaining({ exitCode: exitCodes.badFile }))
    expect(() => loadSecret(home)).toThrow(/chmod 600/)
  })

  test.each(['', 'ab', 'ab'.repeat(31), 'ab'.repeat(33), `${'ab'.repeat(31)}zz`, ` ${'ab'.repeat(32)}`])(
    'the content "%s" is rejected, and not shown',
    (content) => {
      put(content)
      expect(() => loadSecret(home)).toThrow(expect.objectContaining({ exitCode: exitCodes.badFile }))
      expect(() => loadSecret(home)).toThrow(/64 hex digits/)
      if (content.trim() !== '') expect(() => loadSecret(home)).not.toThrow(content)
    },
  )
})
