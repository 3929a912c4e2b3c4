import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createTxFromRLP } from '@ethereumjs/tx'
import { Transaction as EthersTransaction } from 'ethers'
import fc from 'fast-check'
import { type Hex, parseTransaction } from 'viem'
import { describe, expect, it } from 'vitest'
import { slow } from '../../../test/support/slow.ts'
import { privateKeyToAddress } from '../../base/crypto/crypto.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { decodeRlp, encodeRlp, type RlpInput } from '../../base/encoding/rlp.ts'
import { decodeTransaction } from './decode.ts'
import { encodeTransaction, signingHash, transactionHash } from './encode.ts'
import { recoverAuthority, recoverSender, signAuthorization, signTransaction } from './signature.ts'
import { type Transaction, TransactionError, type UnsignedTransaction } from './transaction.ts'

const privateKey = new Uint8Array(32).fill(0x42)
const signer = toHex(privateKeyToAddress(privateKey))

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const uint = (bits: number) =>
  fc
    .bigInt({ min: 0n, max: BigInt(bits) })
    .chain((size) => fc.bigInt({ min: 0n, max: size === 0n ? 0n : 2n ** size - 1n }))
const chainId = fc.bigInt({ min: 1n, max: 2n ** 40n })

const common = {
  nonce: fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }),
  gasLimit: uint(53),
  to: fc.oneof(fc.constant(undefined), bytes(20)),
  value: uint(256),
  data: fc.uint8Array({ maxLength: 200 }),
}
const accessList = fc.array(
  fc.record({ address: bytes(20), storageKeys: fc.array(bytes(32), { maxLength: 3 }) }),
  {
    maxLength: 3,
  },
)
const feeMarket = {
  ...common,
  chainId,
  maxFeePerGas: fc.bigInt({ min: 2n ** 100n, max: 2n ** 180n }),
  maxPriorityFeePerGas: uint(100),
  accessList,
}
const authorization = fc
  .record({ chainId: uint(40), address: bytes(20), nonce: uint(53) })
  .map((fields) => signAuthorization(fields, privateKey))

const unsigned: fc.Arbitrary<UnsignedTransaction> = fc.oneof(
  fc.record({
    ...common,
    type: fc.constant(0 as const),
    chainId: fc.oneof(fc.constant(undefined), chainId),
    gasPrice: uint(180),
  }),
  fc.record({ ...common, type: fc.constant(1 as const), chainId, gasPrice: uint(180), accessList }),
  fc.record({ ...feeMarket, type: fc.constant(2 as const) }),
  fc.record({
    ...feeMarket,
    type: fc.constant(3 as const),
    to: bytes(20),
    maxFeePerBlobGas: uint(180),
    blobVersionedHashes: fc.array(
      bytes(32).map((hash) => Uint8Array.of(1, ...hash.subarray(1))),
      { minLength: 1, maxLength: 4 },
    ),
  }),
  fc.record({
    ...feeMarket,
    type: fc.constant(4 as const),
    to: bytes(20),
    authorizations: fc.array(authorization, { minLength: 1, maxLength: 3 }),
  }),
)

const sample = (type: number): Transaction =>
  signTransaction(
    fc.sample(
      unsigned.filter((tx) => tx.type === type),
      { numRuns: 1, seed: 7 },
    )[0] as UnsignedTransaction,
    privateKey,
  )

/** Returns the transaction's list with one change, encoded again. */
const altered = (tx: Transaction, change: (fields: RlpInput[]) => RlpInput): Uint8Array => {
  const raw = encodeTransaction(tx)
  const prefix = tx.type === 0 ? new Uint8Array(0) : Uint8Array.of(tx.type)
  const fields = decodeRlp(raw.subarray(prefix.length)) as RlpInput[]
  return Uint8Array.of(...prefix, ...encodeRlp(change([...fields])))
}

describe('transactions', () => {
  it('decode to what was encoded, and name their signer', () => {
    fc.assert(
      fc.property(unsigned, (fields) => {
        const tx = signTransaction(fields, privateKey)
        expect(decodeTransaction(encodeTransaction(tx))).toEqual(tx)
        expect(toHex(recoverSender(tx, 'osaka') as Uint8Array)).toBe(signer)
      }),
    )
  })

  it('agree with ethers in hash, signing hash and sender', slow, () => {
    fc.assert(
      fc.property(unsigned, (fields) => {
        const tx = signTransaction(fields, privateKey)
        const other = EthersTransaction.from(toHex(encodeTransaction(tx)))
        expect(other.hash).toBe(toHex(transactionHash(tx)))
        expect(other.unsignedHash).toBe(toHex(signingHash(tx)))
        expect(other.from?.toLowerCase()).toBe(signer)
        expect(other.nonce).toBe(Number(tx.nonce))
        expect(other.value).toBe(tx.value)
      }),
      { numRuns: 60 },
    )
  })

  it('agree with viem field by field', () => {
    fc.assert(
      fc.property(unsigned, (fields) => {
        const tx = signTransaction(fields, privateKey)
        const other = parseTransaction(toHex(encodeTransaction(tx)) as Hex)
        expect(other.nonce ?? 0).toBe(Number(tx.nonce))
        expect(other.gas ?? 0n).toBe(tx.gasLimit)
        expect(other.value ?? 0n).toBe(tx.value)
        expect(other.data ?? '0x').toBe(toHex(tx.data))
        expect(other.to ?? undefined).toBe(tx.to && toHex(tx.to))
        expect(other.chainId).toBe(tx.chainId && Number(tx.chainId))
      }),
      { numRuns: 60 },
    )
  })

  it('agree with @ethereumjs/tx in hash and sender', () => {
    const chain = new Common({ chain: Mainnet, hardfork: Hardfork.Prague })
    // The library's blob transactions need a KZG library; ethers and viem cover those.
    const withoutBlobs = unsigned.filter(({ type }) => type !== 3)
    fc.assert(
      fc.property(withoutBlobs, (fields) => {
        const onMainnet = fields.chainId === undefined ? fields : { ...fields, chainId: 1n }
        const tx = signTransaction(onMainnet, privateKey)
        const other = createTxFromRLP(encodeTransaction(tx), { common: chain })
        expect(toHex(other.hash())).toBe(toHex(transactionHash(tx)))
        expect(other.getSenderAddress().toString()).toBe(signer)
      }),
      { numRuns: 30 },
    )
  })

  it('survive random damage: what still decodes is canonical', () => {
    fc.assert(
      fc.property(unsigned, fc.nat(), fc.integer({ min: 1, max: 255 }), (fields, position, mask) => {
        const raw = encodeTransaction(signTransaction(fields, privateKey)).slice()
        const at = position % raw.length
        raw[at] = (raw[at] as number) ^ mask
        try {
          expect(toHex(encodeTransaction(decodeTransaction(raw)))).toBe(toHex(raw))
        } catch (error) {
          if (!(error instanceof TransactionError)) throw error
        }
      }),
      { numRuns: 500 },
    )
  })

  it.each([0, 1, 2, 3, 4])('of type %i have exactly their fields', (type) => {
    const tx = sample(type)
    expect(() => decodeTransaction(altered(tx, (fields) => fields.slice(1)))).toThrow(TransactionError)
    expect(() => decodeTransaction(altered(tx, (fields) => [...fields, new Uint8Array(0)]))).toThrow(
      TransactionError,
    )
    expect(() => decodeTransaction(Uint8Array.of(...encodeTransaction(tx), 0))).toThrow(TransactionError)
  })

  it.each([
    ['leading zeros in an integer', (fields: RlpInput[]) => fields.with(1, Uint8Array.of(0, 1))],
    ['zero as a byte', (fields: RlpInput[]) => fields.with(1, Uint8Array.of(0))],
    ['an address of 19 bytes', (fields: RlpInput[]) => fields.with(5, new Uint8Array(19))],
    ['a gas limit over 64 bits', (fields: RlpInput[]) => fields.with(4, new Uint8Array(9).fill(1))],
    ['a value over 256 bits', (fields: RlpInput[]) => fields.with(6, new Uint8Array(33).fill(1))],
    ['a list for a string', (fields: RlpInput[]) => fields.with(7, [])],
    ['a string for a list', (fields: RlpInput[]) => fields.with(8, new Uint8Array(0))],
    ['an access list entry of one field', (fields: RlpInput[]) => fields.with(8, [[new Uint8Array(20)]])],
    [
      'a short storage key',
      (fields: RlpInput[]) => fields.with(8, [[new Uint8Array(20), [new Uint8Array(31)]]]),
    ],
    ['a parity of 2', (fields: RlpInput[]) => fields.with(9, Uint8Array.of(2))],
  ])('reject %s', (_name, change) => {
    expect(() => decodeTransaction(altered(sample(2), change))).toThrow(TransactionError)
  })

  it.each([
    ['nothing', '0x'],
    ['type 0 in an envelope', '0x00c0'],
    ['an unknown type', '0x05c0'],
    ['the highest type', '0x7fc0'],
    ['a string', '0x80'],
  ])('reject %s', (_name, hex) => {
    expect(() => decodeTransaction(fromHex(hex))).toThrow(TransactionError)
  })

  it('with a high s have a sender before Homestead only', () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const tx = sample(0)
    const { yParity, r, s } = tx.signature
    const high = { ...tx, signature: { yParity: 1 - yParity, r, s: order - s } }
    expect(toHex(recoverSender(high, 'frontier') as Uint8Array)).toBe(signer)
    expect(recoverSender(high, 'homestead')).toBeUndefined()
  })

  it('with r or s of zero or of the group order have no sender', () => {
    const tx = sample(2)
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    for (const [r, s] of [
      [0n, 1n],
      [1n, 0n],
      [order, 1n],
      [1n, order],
    ] as const)
      expect(recoverSender({ ...tx, signature: { yParity: 0, r, s } }, 'frontier')).toBeUndefined()
  })

  it('name the authority of an authorization', () => {
    const fields = { chainId: 1n, address: new Uint8Array(20).fill(9), nonce: 3n }
    const signed = signAuthorization(fields, privateKey)
    expect(toHex(recoverAuthority(signed) as Uint8Array)).toBe(signer)
    expect(recoverAuthority({ ...signed, yParity: 2 })).toBeUndefined()
    expect(recoverAuthority({ ...signed, s: 0n })).toBeUndefined()
  })
})
