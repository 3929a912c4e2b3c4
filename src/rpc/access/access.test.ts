import { expect, test } from 'vitest'
import { type Caller, clientOf } from './access.ts'
import { ApiKey } from './apiKey.ts'

const caller: Caller = { transport: 'ws', address: '192.0.2.1', isLocal: false, authorizedUntil: 0 }

test('a client is its key, or its address whatever its connections, or else its connection', () => {
  expect(clientOf({ ...caller })).toBe(clientOf({ ...caller, transport: 'http' }))
  const cost = { cheap: 1, state: 1, logs: 1, evm: 1, trace: 1, write: 1 }
  const key = new ApiKey({ name: 'a', sha256: '', rate: 0, burst: 1, namespaces: undefined, cost })
  expect(clientOf({ ...caller, key })).toBe(key)
  const local: Caller = { ...caller, transport: 'ipc', address: '' }
  expect(clientOf(local)).toBe(local)
  expect(clientOf({ ...local })).not.toBe(local)
})
