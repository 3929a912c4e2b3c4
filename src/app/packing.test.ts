import { expect, test } from 'vitest'
import { concatBytes } from '../base/encoding/bytes.ts'
import { packFixed, packTransactions, unpackAddresses, unpackHashes, unpackTransactions } from './packing.ts'

const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value)

test('transactions come back as they were, wherever the bytes stand', () => {
  const transactions = [0, 1, 110, 300].map((length, index) => ({
    raw: bytes(length, index + 1),
    hash: bytes(32, 0x40 + index),
    sender: bytes(20, 0x80 + index),
  }))
  expect(unpackTransactions(packTransactions(transactions))).toEqual(transactions)
  const within = concatBytes(bytes(7, 9), packTransactions(transactions)).subarray(7)
  expect(unpackTransactions(within)).toEqual(transactions)
  expect(unpackTransactions(packTransactions([]))).toEqual([])
})

test('hashes and addresses come back in their order', () => {
  const hashes = [bytes(32, 1), bytes(32, 2)]
  expect(unpackHashes(packFixed(hashes))).toEqual(hashes)
  const addresses = [bytes(20, 1), bytes(20, 2), bytes(20, 3)]
  expect(unpackAddresses(packFixed(addresses))).toEqual(addresses)
  expect(unpackAddresses(packFixed([]))).toEqual([])
})
