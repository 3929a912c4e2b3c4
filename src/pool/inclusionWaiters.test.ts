import { expect, test } from 'vitest'
import { InclusionWaiters } from './inclusionWaiters.ts'

const hash = new Uint8Array(32).fill(7)

test('whoever waits is notified of the block, or leaves with its signal', async () => {
  const waiters = new InclusionWaiters()
  const told = waiters.wait(hash)
  const leaving = new AbortController()
  const left = waiters.wait(hash, leaving.signal)
  leaving.abort()
  await left
  waiters.settle(hash)
  await told
})

test('everybody is notified that no block comes for now', async () => {
  const waiters = new InclusionWaiters()
  const waits = [waiters.wait(hash), waiters.wait(new Uint8Array(32))]
  waiters.settleAll()
  await Promise.all(waits)
})

test('whoever waits when the process ends, or begins to afterwards, is let go', async () => {
  const waiters = new InclusionWaiters()
  const before = waiters.wait(hash)
  waiters.close()
  await before
  await waiters.wait(hash)
})

test('a signal that was aborted before is not waited for', async () => {
  await new InclusionWaiters().wait(hash, AbortSignal.abort())
})

test('the end of a request whose wait is over takes nobody else’s wait away', async () => {
  const waiters = new InclusionWaiters()
  const request = new AbortController()
  const first = waiters.wait(hash, request.signal)
  waiters.settle(hash)
  await first
  // The same transaction is sent again, after its block was reverted.
  let isTold = false
  const second = waiters.wait(hash).then(() => {
    isTold = true
  })
  request.abort()
  waiters.settle(hash)
  await new Promise((resolve) => setImmediate(resolve))
  expect(isTold).toBe(true)
  await second
})
