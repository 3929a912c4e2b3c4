import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import {
  decodeAccount,
  decodeStorage,
  emptyRoot,
  encodeAccount,
  encodeAccountRlp,
  heightKey,
  readHeight,
} from './rows.ts'
import { sortByBytes } from './sortByBytes.ts'
import { readVersion, writeVersion } from './versionedTable.ts'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new Uint8Array(bytes))
const accounts = fc.record({
  nonce: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  balance: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  codeHash: fc.oneof(fc.constant(emptyCodeHash), hash),
  storageRoot: fc.oneof(fc.constant(emptyRoot), hash),
  incarnation: fc.nat(2 ** 31 - 1),
})

describe('account rows', () => {
  it('come back as they were, and encode as the protocol has them', () => {
    fc.assert(
      fc.property(accounts, (account) => {
        const row = encodeAccount(account, account)
        const hasStorage = account.storageRoot !== emptyRoot
        const expected = { ...account, incarnation: hasStorage ? account.incarnation : 0 }
        expect(decodeAccount(row, 0)).toEqual(expected)
        expect(decodeStorage(row, 0)).toEqual({
          storageRoot: expected.storageRoot,
          incarnation: expected.incarnation,
        })
        const rlp = RLP.encode([account.nonce, account.balance, account.storageRoot, account.codeHash])
        expect(Buffer.compare(encodeAccountRlp(row, 0), rlp)).toBe(0)
      }),
    )
  })
})

describe('heights', () => {
  it('sort upwards as keys and downwards as versions', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31), fc.nat(2 ** 31), (a, b) => {
        const [wideA, wideB] = [a * 65_536, b * 65_536]
        expect(readHeight(heightKey(wideA), 0)).toBe(wideA)
        expect(Math.sign(Buffer.compare(heightKey(wideA), heightKey(wideB)))).toBe(Math.sign(a - b))
        const [versionA, versionB] = [new Uint8Array(6), new Uint8Array(6)]
        writeVersion(versionA, 0, wideA)
        writeVersion(versionB, 0, wideB)
        expect(readVersion(versionA)).toBe(wideA)
        expect(Math.sign(Buffer.compare(versionA, versionB))).toBe(Math.sign(b - a))
      }),
    )
  })
})

describe('sortByBytes', () => {
  it('sorts as a comparison does, and rejects duplicates', () => {
    const bytes = fc.uint8Array({ minLength: 5, maxLength: 5, max: 2 })
    fc.assert(
      fc.property(fc.array(bytes), (list) => {
        const unique = [...new Map(list.map((item) => [item.join(), item])).values()]
        expect(sortByBytes(unique, (item) => item)).toEqual([...unique].sort(Buffer.compare))
        if (unique.length < list.length)
          expect(() => sortByBytes(list, (item) => item)).toThrow('changed twice')
      }),
    )
  })
})
