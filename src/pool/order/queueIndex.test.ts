import { expect, it } from 'vitest'
import { address, dynamicFee, gwei, submissionOf } from '../../../test/support/pool.ts'
import { toPoolTransaction } from '../admission/submission.ts'
import type { PoolTransaction } from '../types.ts'
import { QueueIndex } from './queueIndex.ts'

const paying = (tip: bigint): PoolTransaction => {
  const submission = submissionOf(dynamicFee({ maxPriorityFeePerGas: tip * gwei }))
  return toPoolTransaction(submission, { sender: address(1), authorities: [] }, false, Number(tip))
}

it('takes one that left the queue and came back once', () => {
  const [one, two, five] = [paying(1n), paying(2n), paying(5n)]
  const index = new QueueIndex([one, two], gwei, () => true)
  index.add(one)
  expect(index.plan(2, five, undefined)).toEqual([one, two])
})

it('discards what is queued no more', () => {
  const [one, two, five] = [paying(1n), paying(2n), paying(5n)]
  const index = new QueueIndex([one, two], gwei, (tx) => tx !== one)
  expect(index.plan(1, five, undefined)).toEqual([two])
  expect(index.takeCheapest()).toBeUndefined()
})
