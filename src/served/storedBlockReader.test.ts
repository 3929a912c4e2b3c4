import { expect, test } from 'vitest'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'
import { StoredBlockReader } from './storedBlockReader.ts'

test('a block that is stored and not yet the head is nowhere to be found', () => {
  const stored: Partial<BlockStoreReader> = {
    numberOf: () => 5,
    locate: () => ({ number: 5, index: 0 }),
    locateBySender: () => ({ number: 5, index: 0 }),
  }
  let head = 4
  const pending = () => Promise.reject(new Error('there is none'))
  // The reader uses only these members.
  const blocks = new StoredBlockReader(stored as BlockStoreReader, { headNumber: () => head, pending })
  const hash = new Uint8Array(32)
  const found = () => [
    blocks.resolve({ kind: 'hash', hash, requireCanonical: false }),
    blocks.resolve({ kind: 'number', number: 5n }),
    blocks.locate(hash)?.number,
    blocks.locateBySender(new Uint8Array(20), 0n)?.number,
  ]
  expect(found()).toEqual([undefined, undefined, undefined, undefined])
  head = 5
  expect(found()).toEqual([5, 5, 5, 5])
})
