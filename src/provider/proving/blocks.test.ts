import { expect, test } from 'vitest'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { encodeRlp, encodeRlpList } from '../../base/encoding/rlp.ts'
import { ommersHash } from '../../chain/block/block.ts'
import { encodeHeader, type Header } from '../../chain/block/header.ts'
import { emptyTrieRoot } from '../../chain/block/trieRoot.ts'
import { proveBlock } from './blocks.ts'

const bytes = (length: number): Uint8Array => new Uint8Array(length)

const header: Header = {
  parentHash: bytes(32),
  ommersHash: ommersHash([]),
  beneficiary: bytes(20),
  stateRoot: emptyTrieRoot,
  transactionsRoot: emptyTrieRoot,
  receiptsRoot: emptyTrieRoot,
  logsBloom: bytes(256),
  difficulty: 0n,
  number: 5n,
  gasLimit: 30_000_000n,
  gasUsed: 0n,
  timestamp: 9n,
  extraData: bytes(0),
  mixHash: bytes(32),
  nonce: bytes(8),
  baseFeePerGas: 7n,
}
const rlp = encodeHeader(header)
const proven = { header, rlp, hash: keccak256(rlp) }
const none = encodeRlp([])
const emptyList = (count: number): Uint8Array[] => Array.from({ length: count }, () => none)

test('a block is that of its header', () => {
  expect(proveBlock(proven, encodeRlpList([rlp, none, none])).transactions).toEqual([])
  const other = encodeHeader({ ...header, gasLimit: 1n })
  expect(() => proveBlock(proven, encodeRlpList([other, none, none]))).toThrow('another header')
})

test('millions of items are not decoded', () => {
  const items = encodeRlpList(emptyList(200_000))
  expect(() => proveBlock(proven, encodeRlpList([rlp, items, none]))).toThrow('more than 10000 items')
  expect(() => proveBlock(proven, encodeRlpList([rlp, none, items]))).toThrow('more than 10000 items')
})

test('transactions are not decoded unless they are those of the header', () => {
  // One of type 2 whose list of items would not be counted, as it is within a string.
  const made = new Uint8Array([2, ...encodeRlpList(emptyList(1_000))])
  const transactions = encodeRlp([made])
  expect(() => proveBlock(proven, encodeRlpList([rlp, transactions, none]))).toThrow(
    'block 5 has other transactions than its header',
  )
})
