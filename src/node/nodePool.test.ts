import { expect, test } from 'vitest'
import { createTestPool } from '../../test/support/pool.ts'
import { limitExceeded } from '../chain/chainError.ts'
import type { TransactionSubmitter } from '../pool/admission/transactionSubmitter.ts'
import { InclusionWaiters } from '../pool/inclusionWaiters.ts'
import type { PoolTransaction } from '../pool/types.ts'
import { NodePool } from './nodePool.ts'

const full = limitExceeded('the disk is full')

/** The pool of a node on which no block comes, with a transaction that waits for the next one. */
const createNodePool = () => {
  const { pool, transfer } = createTestPool()
  const gate = { isOpen: true, onClose: [] as ((error: typeof full) => void)[] }
  const nodePool = new NodePool({
    pool,
    intake: {} as TransactionSubmitter, // these tests submit nothing through it
    inclusions: new InclusionWaiters(),
    locate: () => undefined,
    isNext: () => true,
    writes: {
      get isOpen() {
        return gate.isOpen
      },
      assertOpen: () => {
        if (!gate.isOpen) throw full
      },
      on: (onClose) => void gate.onClose.push(onClose),
    },
  })
  const { hash } = transfer(1, 0).transaction as PoolTransaction // it is valid
  const close = (): void => {
    gate.isOpen = false
    for (const listener of gate.onClose) listener(full)
  }
  return { nodePool, pool, hash, close }
}

test('a disk that takes nothing ends the wait, and the pool keeps the transaction', async () => {
  const { nodePool, pool, hash, close } = createNodePool()
  const waiting = nodePool.waitForSeal(hash)
  close()
  await waiting
  expect(pool.get(hash)).toBeDefined()
  // So it is for one whose sender was recovered meanwhile.
  await nodePool.waitForSeal(hash)
  await expect(nodePool.submit(hash)).rejects.toThrow('the disk is full')
})

test('a block that could not be made ends the wait', async () => {
  const { nodePool, pool, hash } = createNodePool()
  const waiting = nodePool.waitForSeal(hash)
  nodePool.releaseWaits()
  await waiting
  expect(pool.get(hash)).toBeDefined()
})

test('a transaction that no block can hold is rejected', async () => {
  const { nodePool, hash } = createNodePool()
  const waiting = nodePool.waitForSeal(hash)
  nodePool.refuseWaits(hash, new Error('missing trie node'))
  await expect(waiting).rejects.toThrow('missing trie node')
})
