import { expect, it } from 'vitest'
import { address, createSubmission, dynamicFee, gwei } from '../../../test/support/pool.ts'
import { toPoolTransaction } from '../admission/submission.ts'
import type { PoolTransaction } from '../types.ts'
import { QueueEvictionIndex } from './queueEvictionIndex.ts'

const paying = (tip: bigint): PoolTransaction => {
  const submission = createSubmission(dynamicFee({ maxPriorityFeePerGas: tip * gwei }))
  return toPoolTransaction(submission, { sender: address(1), authorities: [] }, false, Number(tip))
}

it('takes one that left the queue and came back once', () => {
  const [one, two, five] = [paying(1n), paying(2n), paying(5n)]
  const index = new QueueEvictionIndex([one, two], gwei, () => true)
  index.add(one)
  expect(index.selectEvictions(2, five)).toEqual([one, two])
})

it('discards what is queued no more', () => {
  const [one, two, five] = [paying(1n), paying(2n), paying(5n)]
  const index = new QueueEvictionIndex([one, two], gwei, (tx) => tx !== one)
  expect(index.selectEvictions(1, five)).toEqual([two])
  expect(index.popCheapest()).toBeUndefined()
})
