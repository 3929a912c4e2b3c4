import { expect, test } from 'vitest'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { NodeStore } from './nodeStore.ts'

test('what is kept of a long reply does not keep the reply', () => {
  const store = new NodeStore(10_000)
  const reply = new Uint8Array(1_000_000).fill(7)
  const node = reply.subarray(10, 110)
  store.add([node])
  const kept = store.get(keccak256(node))
  expect(kept).toEqual(node)
  expect(kept?.buffer.byteLength).toBe(100)
})
