import { expect, test, vi } from 'vitest'
import type { Caller } from '../access/access.ts'
import { StreamedResult } from '../rawJson.ts'
import { UnreadResults } from './unreadResults.ts'

const callerAt = (address: string): Caller => ({
  transport: 'http',
  address,
  isLocal: false,
  authorizedUntil: 0,
})
const resultOf = (size: number, dispose = () => {}): StreamedResult =>
  new StreamedResult(size, async function* () {}, dispose)

test('each client has a share of what may be unread, and gets it back once for each result', () => {
  const unread = new UnreadResults(100)
  const dispose = vi.fn()
  const held = unread.hold(callerAt('10.0.0.1'), resultOf(60, dispose))
  expect(unread.hold(callerAt('10.0.0.1'), resultOf(60))).toBeUndefined()
  expect(unread.hold(callerAt('10.0.0.2'), resultOf(60))).toBeDefined()
  held?.dispose()
  held?.dispose()
  expect(dispose).toHaveBeenCalled()
  expect(unread.hold(callerAt('10.0.0.1'), resultOf(60))).toBeDefined()
  expect(unread.hold(callerAt('10.0.0.1'), resultOf(60))).toBeUndefined()
  expect(unread.refusal()).toMatchObject({
    code: -32005,
    message: expect.stringContaining('trace-spool-per-client'),
  })
})
