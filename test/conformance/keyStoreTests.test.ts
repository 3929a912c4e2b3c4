import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toHex } from '../../src/base/encoding/hex.ts'
import { KeyCipher } from '../../src/keystore/keyFile/cipher.ts'
import { parseKeyFile } from '../../src/keystore/keyFile/keyFile.ts'
import { slow, testSome } from '../support/slow.ts'
import { ethereumTests, ethereumTestsMissing } from './officialSuites.ts'

/** The KeyStoreTests of ethereum/tests. */

interface Vector {
  readonly json: object
  readonly password: string
  readonly priv: string
}

const cipher = new KeyCipher({ isLight: true })

const readVectors = (): readonly [string, Vector][] => {
  const folder = ethereumTests()
  if (folder === undefined) return []
  const text = readFileSync(join(folder, 'KeyStoreTests', 'basic_tests.json'), 'utf8')
  return Object.entries(JSON.parse(text) as Record<string, Vector>)
}

describe('KeyStoreTests', () => {
  const vectors = readVectors()

  test('all of them are there', (ctx) => {
    if (vectors.length === 0) ctx.skip(ethereumTestsMissing)
    expect(vectors.map(([name]) => name)).toEqual([
      'test1',
      'test2',
      'python_generated_test_with_odd_iv',
      'evilnonce',
      'mycrypto',
    ])
  })

  // That of test2 derives its key longer than all others together.
  const [longest, others] = [
    vectors.filter(([name]) => name === 'test2'),
    vectors.filter(([name]) => name !== 'test2'),
  ]
  testSome(others.length, [...others, ...longest])('%s', async (_, { json, password, priv }) => {
    const file = parseKeyFile(JSON.stringify(json))
    expect(toHex(await cipher.decrypt(file, password))).toBe(`0x${priv}`)
  })

  test.each(vectors)('%s with another password', slow, async (_, { json, password }) => {
    const file = parseKeyFile(JSON.stringify(json))
    await expect(cipher.decrypt(file, `${password} `)).rejects.toThrow(
      'could not decrypt key with given password',
    )
  })
})
