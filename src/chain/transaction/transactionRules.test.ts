import { describe, expect, it } from 'vitest'
import type { Fork } from '../config/forks.ts'
import { ethereumLimits } from '../config/limits.ts'
import { signTransaction } from './signature.ts'
import type { TransactionError, TransactionErrorKind, UnsignedTransaction } from './transaction.ts'
import { checkTransaction, floorGas, intrinsicGas } from './transactionRules.ts'

const fees = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }
const base = {
  type: 2 as const,
  chainId: 1n,
  nonce: 0n,
  ...fees,
  gasLimit: 1_000_000n,
  to: new Uint8Array(20),
  value: 0n,
  data: new Uint8Array(0),
  accessList: [],
}
const blob = { ...base, type: 3 as const, maxFeePerBlobGas: 1n, blobVersionedHashes: [Uint8Array.of(1)] }
const setCode = { ...base, type: 4 as const, authorizations: [] }
const legacy = { ...base, type: 0 as const, gasPrice: 1n }
const key = new Uint8Array(32).fill(5)

const faultOf = (tx: UnsignedTransaction, fork: Fork): TransactionErrorKind | undefined => {
  try {
    checkTransaction(signTransaction(tx, key), fork, 1n, ethereumLimits)
    return undefined
  } catch (error) {
    return (error as TransactionError).kind
  }
}

describe('rules of transactions', () => {
  it.each<[string, UnsignedTransaction, Fork, TransactionErrorKind | undefined]>([
    ['a plain one', base, 'osaka', undefined],
    ['type 2 before London', base, 'berlin', 'type'],
    ['type 4 before Prague', setCode, 'cancun', 'type'],
    ['another chain', { ...base, chainId: 2n }, 'osaka', 'chainId'],
    ['a chain id before EIP-155', legacy, 'homestead', 'signature'],
    ['a tip above the fee', { ...base, maxPriorityFeePerGas: 11n }, 'osaka', 'fee'],
    ['the highest nonce', { ...base, nonce: 2n ** 64n - 1n }, 'osaka', 'nonce'],
    ['too little gas', { ...base, gasLimit: 20_999n }, 'osaka', 'gas'],
    ['gas below the floor', { ...base, gasLimit: 22_000n, data: new Uint8Array(101) }, 'prague', 'gas'],
    [
      'the same before the floor',
      { ...base, gasLimit: 22_000n, data: new Uint8Array(101) },
      'cancun',
      undefined,
    ],
    ['gas over the cap of Osaka', { ...base, gasLimit: 2n ** 24n + 1n }, 'osaka', 'gas'],
    ['the same in Prague', { ...base, gasLimit: 2n ** 24n + 1n }, 'prague', undefined],
    ['long init code', { ...base, to: undefined, data: new Uint8Array(49_153) }, 'shanghai', 'initCode'],
    ['a blob', blob, 'osaka', undefined],
    ['no blobs', { ...blob, blobVersionedHashes: [] }, 'osaka', 'blobs'],
    [
      'seven blobs in Osaka',
      { ...blob, blobVersionedHashes: Array(7).fill(Uint8Array.of(1)) },
      'osaka',
      'blobs',
    ],
    ['a blob hash of version 2', { ...blob, blobVersionedHashes: [Uint8Array.of(2)] }, 'osaka', 'blobs'],
    ['blobs for a creation', { ...blob, to: undefined }, 'osaka', 'blobs'],
    ['no authorizations', setCode, 'osaka', 'authorizations'],
  ])('%s', (_name, tx, fork, fault) => {
    expect(faultOf(tx, fork)).toBe(fault)
  })

  it('price what a transaction brings', () => {
    const creation = { ...base, to: undefined, data: Uint8Array.of(0, 1) }
    expect(intrinsicGas(creation, 'frontier')).toBe(21_000n + 4n + 68n)
    expect(intrinsicGas(creation, 'homestead')).toBe(53_000n + 4n + 68n)
    expect(intrinsicGas(creation, 'istanbul')).toBe(53_000n + 4n + 16n)
    expect(intrinsicGas(creation, 'shanghai')).toBe(53_000n + 4n + 16n + 2n)
    const listed = {
      ...base,
      accessList: [{ address: new Uint8Array(20), storageKeys: [new Uint8Array(32)] }],
    }
    expect(intrinsicGas(listed, 'osaka')).toBe(21_000n + 2_400n + 1_900n)
    expect(floorGas(creation, 'cancun')).toBe(0n)
    expect(floorGas(creation, 'prague')).toBe(21_000n + 50n)
  })
})
