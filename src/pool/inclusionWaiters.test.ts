import { test } from 'vitest'
import { InclusionWaiters } from './inclusionWaiters.ts'

const hash = new Uint8Array(32).fill(7)

test('whoever waits is told of the block, or leaves with its signal', async () => {
  const waiters = new InclusionWaiters()
  const told = waiters.wait(hash)
  const leaving = new AbortController()
  const left = waiters.wait(hash, leaving.signal)
  leaving.abort()
  await left
  waiters.settle(hash)
  await told
})

test('a signal that was aborted before is not waited for', async () => {
  await new InclusionWaiters().wait(hash, AbortSignal.abort())
})
