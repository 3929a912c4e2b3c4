import { describe, expect, test, vi } from 'vitest'
import { methods } from '../../src/api/methods.ts'
import { parsePieced } from '../../src/base/json/piecedJson.ts'
import { decodeLongParams, decodeParams } from '../../src/rpc/dispatch/params.ts'
import { RpcError } from '../../src/rpc/errors.ts'
import type { Method } from '../../src/rpc/method.ts'

/** The decoding of long parameters: what lies between two places where other calls may run, counted and not timed. */

const word = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`
const address = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`
const list = <T>(length: number, create: (index: number) => T): T[] =>
  Array.from({ length }, (_, at) => create(at))
const recordOf = <T>(length: number, key: (at: number) => string, value: T): Record<string, T> =>
  Object.fromEntries(list(length, (at) => [key(at), value]))

const call = { from: address(1), to: address(2), value: '0x1', data: '0x0102' }
const slots = recordOf(30_000, word, word(7))

/** The looks at elements in one piece: 16 elements, each looked at up to four times. */
const maxAtOnce = 64

/** Counts the looks at the members of lists and objects with many of them. */
const createMeter = () => {
  const meter = { looks: 0 }
  const watch = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const inner = Array.isArray(value)
      ? value.map(watch)
      : Object.fromEntries(Object.entries(value).map(([key, member]) => [key, watch(member)]))
    if (Object.keys(inner).length < 32) return inner
    return new Proxy(inner, {
      get: (target, name, receiver) => {
        if (typeof name === 'string' && Object.hasOwn(target, name) && name !== 'length') meter.looks++
        return Reflect.get(target, name, receiver) as unknown
      },
    })
  }
  return { meter, watch }
}

const methodOf = (name: string): Method<never> =>
  methods.find((method) => method.name === name) as unknown as Method<never> // each name below is in the table

/** Decodes in pieces; returns the arguments and the most looks at elements in one piece. */
const decodeInPieces = (name: string, params: readonly unknown[]) => {
  const { meter, watch } = createMeter()
  const work = decodeLongParams(methodOf(name), params.map(watch))
  for (let most = 0; ; meter.looks = 0) {
    const step = work.next()
    most = Math.max(most, meter.looks)
    if (step.done === true) return { args: step.value, most }
  }
}

const long: readonly (readonly [string, readonly unknown[]])[] = [
  ['eth_call', [call, 'latest', { [address(1)]: { stateDiff: slots } }]],
  ['eth_call', [call, 'latest', recordOf(9_000, address, { balance: '0x1', state: { [word(1)]: word(2) } })]],
  ['eth_estimateGas', [{ ...call, accessList: [{ address: address(1), storageKeys: list(30_000, word) }] }]],
  [
    'eth_createAccessList',
    [{ ...call, accessList: list(9_000, (at) => ({ address: address(at), storageKeys: [word(at)] })) }],
  ],
  ['eth_simulateV1', [{ blockStateCalls: list(2, () => ({ calls: list(4_000, () => call) })) }]],
  ['eth_simulateV1', [{ blockStateCalls: [{ stateOverrides: { [address(1)]: { state: slots } } }] }]],
  ['eth_callMany', [[{ transactions: list(5_000, () => call) }]]],
  ['debug_traceCall', [call, 'latest', { stateOverrides: { [address(1)]: { stateDiff: slots } } }]],
  ['trace_callMany', [list(100, () => [call, ['trace']])]],
  ['eth_getLogs', [{ address: list(1_000, address), topics: list(4, () => list(1_000, word)) }]],
  ['eth_getProof', [address(1), list(1_000, word), 'latest']],
  ['eth_getStorageValues', [{ [address(1)]: list(1_000, word) }, 'latest']],
]

describe('long parameters', () => {
  test.each(long)(
    'of %s are decoded in small pieces, to what they are decoded to at once',
    (name, params) => {
      const { args, most } = decodeInPieces(name, params)
      expect(args).not.toBeInstanceOf(RpcError)
      expect(most).toBeLessThanOrEqual(maxAtOnce)
      expect(args).toEqual(decodeParams(methodOf(name), params))
    },
  )

  test('at once they would be one piece', () => {
    const { meter, watch } = createMeter()
    const [name, params] = long[0] as (typeof long)[number]
    decodeParams(methodOf(name), params.map(watch))
    expect(meter.looks).toBeGreaterThanOrEqual(30_000)
  })

  test.each([
    ['eth_call', [call, 'latest', { [address(1)]: { stateDiff: { ...slots, [word(40_000)]: '0x1' } } }]],
    ['eth_call', [call, 'latest', { [address(1)]: { stateDiff: { ...slots, bad: word(1) } } }]],
    ['eth_call', [call, 'latest', { [address(1)]: { state: slots, stateDiff: slots } }]],
    ['eth_call', [{ ...call, gas: 'bad' }, 'latest', { [address(1)]: { nonce: 'bad', state: slots } }]],
    ['eth_call', [call, 'latest', recordOf(10_001, address, {})]],
    ['eth_call', [{ ...call, data: `0x${'0'.repeat(20_001)}` }, 'latest']],
    ['eth_call', [{ ...call, data: `0x${'0'.repeat(20_000)}zz` }, 'latest']],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [...list(4_000, () => call), { to: 1 }] }] }]],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: list(5_001, () => call) }] }]],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: list(100, () => call), stateOverrides: 7 }] }]],
    ['eth_getLogs', [{ address: [...list(500, address), 'bad'], topics: list(5, () => null) }]],
    ['eth_getProof', [address(1), list(1_025, word), 'latest']],
    ['eth_getStorageValues', [{ [address(1)]: list(1_025, word) }, 'latest']],
    ['eth_chainId', [slots]],
  ])('that are wrong get the error that %s gives at once', (name, params) => {
    const { args } = decodeInPieces(name, params)
    expect(args).toBeInstanceOf(RpcError)
    expect(args).toEqual(decodeParams(methodOf(name), params))
  })

  test('a request with very many members is not looked through', () => {
    const text = JSON.stringify(recordOf(140_000, (at) => `k${at}`, 1))
    const work = parsePieced(text, 64)
    let step = work.next()
    while (step.done !== true) step = work.next()
    const [keys, entries] = [vi.spyOn(Object, 'keys'), vi.spyOn(Object, 'entries')]
    const args = decodeParams(methodOf('eth_call'), [step.value])
    expect(args instanceof RpcError ? args : args[0]).toEqual({})
    for (const list of [keys, entries])
      for (const [object] of list.mock.calls) expect(object).not.toBe(step.value)
    vi.restoreAllMocks()
  })
})
