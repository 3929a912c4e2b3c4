import { describe, expect, it } from 'vitest'
import { toHex } from '../../base/encoding/hex.ts'
import { encodeTransaction } from './encode.ts'
import {
  decodePooledTransaction,
  encodePooledTransaction,
  findSidecarMismatch,
  versionedHash,
} from './pooled.ts'
import { signTransaction } from './signature.ts'
import { type BlobSidecar, type Transaction, TransactionError } from './transaction.ts'

const commitments = [new Uint8Array(48).fill(1), new Uint8Array(48).fill(2)]
const sidecar = (version: 0 | 1): BlobSidecar => ({
  version,
  blobs: commitments.map((_, index) => new Uint8Array(131_072).fill(index)),
  commitments,
  proofs: Array.from({ length: version === 0 ? 2 : 256 }, () => new Uint8Array(48)),
})
const transaction: Transaction = signTransaction(
  {
    type: 3,
    chainId: 1n,
    nonce: 0n,
    maxPriorityFeePerGas: 1n,
    maxFeePerGas: 2n,
    gasLimit: 21_000n,
    to: new Uint8Array(20),
    value: 0n,
    data: new Uint8Array(0),
    accessList: [],
    maxFeePerBlobGas: 1n,
    blobVersionedHashes: commitments.map(versionedHash),
  },
  new Uint8Array(32).fill(7),
)

describe('pooled transactions', () => {
  it.each([0, 1] as const)('carry a sidecar of version %i', (version) => {
    const pooled = { transaction, sidecar: sidecar(version) }
    expect(decodePooledTransaction(encodePooledTransaction(pooled))).toEqual(pooled)
  })

  it('may come without one', () => {
    const raw = encodeTransaction(transaction)
    expect(toHex(encodePooledTransaction({ transaction, sidecar: undefined }))).toBe(toHex(raw))
    expect(decodePooledTransaction(raw)).toEqual({ transaction, sidecar: undefined })
  })

  it.each([
    [
      'a proof too few',
      { ...sidecar(0), proofs: sidecar(0).proofs.slice(1) },
      /^Wrong .* 1 blob proofs expected 2$/,
    ],
    [
      'a blob too few',
      { ...sidecar(0), blobs: sidecar(0).blobs.slice(1) },
      /1 blobs compared to 2 commitments$/,
    ],
    [
      'another commitment',
      { ...sidecar(0), commitments: [...commitments].reverse() },
      /^blob 0: computed hash/,
    ],
    [
      'a commitment too few',
      { ...sidecar(0), commitments: commitments.slice(1) },
      /compared to 2 blob hashes$/,
    ],
    [
      'proofs of version 1 under version 0',
      { ...sidecar(1), version: 0 as const },
      /256 blob proofs expected 2$/,
    ],
  ])('are rejected with %s', (_name, wrong, words) => {
    expect(findSidecarMismatch(commitments.map(versionedHash), wrong)).toMatch(words)
    const raw = encodePooledTransaction({ transaction, sidecar: wrong })
    expect(() => decodePooledTransaction(raw)).toThrow(TransactionError)
  })

  it('are rejected with blobs of another length', () => {
    const short = { ...sidecar(0), blobs: commitments.map(() => new Uint8Array(131_071)) }
    const raw = encodePooledTransaction({ transaction, sidecar: short })
    expect(() => decodePooledTransaction(raw)).toThrow('131072 bytes')
  })
})
