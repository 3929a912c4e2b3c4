import { expect, test, vi } from 'vitest'
import type { Caller } from '../access/access.ts'
import { ApiKey } from '../access/apiKey.ts'
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

test('the client is its API key wherever it is, and each connection over IPC is one', () => {
  const unread = new UnreadResults(100)
  const cost = { cheap: 1, state: 1, logs: 1, evm: 1, trace: 1, write: 1 }
  const key = new ApiKey({ name: 'a', sha256: '', rate: 0, burst: 0, namespaces: undefined, cost })
  const held = unread.hold({ ...callerAt('10.0.0.1'), key }, resultOf(60))
  expect(unread.hold({ ...callerAt('10.0.0.2'), key }, resultOf(60))).toBeUndefined()
  expect(unread.hold(callerAt('10.0.0.1'), resultOf(60))).toBeDefined()
  held?.dispose()
  expect(unread.hold({ ...callerAt('10.0.0.2'), key }, resultOf(60))).toBeDefined()

  const connection: Caller = { ...callerAt(''), transport: 'ipc', isLocal: true }
  expect(unread.hold(connection, resultOf(60))).toBeDefined()
  expect(unread.hold(connection, resultOf(60))).toBeUndefined()
  expect(unread.hold({ ...connection }, resultOf(60))).toBeDefined()
})
