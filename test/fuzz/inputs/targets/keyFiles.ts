import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseKeyFile, readKeyFileAddress } from '../../../../src/keystore/keyFile/keyFile.ts'
import { KeystoreError } from '../../../../src/keystore/keystoreError.ts'
import { assertSo, type InputTarget, refusedBy, taken } from '../target.ts'

const isOwn = (error: unknown): boolean => error instanceof KeystoreError

const files = ['ethers', 'foundry', 'geth', 'web3py-pbkdf2', 'web3py-scrypt']
const readSeed = (name: string): Buffer =>
  readFileSync(fileURLToPath(new URL(`../../../keystore/files/${name}.json`, import.meta.url)))

/** The most memory and work that a file may ask for: those of the limits, of which a reader has to be sure. */
const maxScryptBytes = 512 * 2 ** 20
const maxScryptWork = 2 ** 24

/** Key files of other wallets, or of nobody. */
export const keyFiles = (): InputTarget => ({
  name: 'key files',
  seeds: files.map(readSeed),
  words: [
    ...[
      '"n":',
      '"r":',
      '"p":',
      '"c":',
      '"dklen":',
      '"salt":',
      '"iv":',
      '"mac":',
      '"crypto":',
      '"Crypto":',
      '"kdf":',
    ],
    ...[
      '1048576',
      '262144',
      '-1',
      '1e308',
      '9007199254740993',
      '0.5',
      'null',
      'true',
      '{}',
      '[]',
      '""',
      '"0x"',
    ],
    ...['"__proto__":', '"constructor":', '"pbkdf2"', '"scrypt"', '\\u0000', '\ud800', '{"a":'.repeat(2000)],
  ],
  deepReason: /mac must have 32 bytes|n·r·p|n must be a power of two|salt has more/,
  read: (input) => {
    const text = Buffer.from(input).toString('utf8')
    refusedBy(isOwn, () => readKeyFileAddress(text))
    const read = refusedBy(isOwn, () => parseKeyFile(text))
    if ('refused' in read) {
      assertSo(read.refused.length < 300, 'a message repeats the file')
      return read
    }
    const { address, cipherText, iv, mac, kdf } = read.value
    assertSo(address === undefined || address.length === 20, 'the address has another length')
    assertSo(iv.length === 16 && mac.length === 32 && cipherText.length <= 32, 'a part has another length')
    if (kdf.kind === 'scrypt') {
      assertSo(128 * kdf.n * kdf.r <= maxScryptBytes, 'it takes too much memory')
      assertSo(kdf.n * kdf.r * kdf.p <= maxScryptWork, 'it takes too much time')
    } else assertSo(kdf.c <= 10_000_000, 'it takes too much time')
    return taken
  },
})
