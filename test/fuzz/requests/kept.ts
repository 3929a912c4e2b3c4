import type { FuzzCall } from './generator.ts'

/** Requests that once ended the process, held it for minutes or got an internal error. Their code is the one wanted now. */
export interface KeptCase extends FuzzCall {
  readonly name: string
  readonly codes: readonly number[]
}

const address = `0x${'11'.repeat(20)}`
const word = `0x${'22'.repeat(32)}`
const many = <T>(length: number, element: T): T[] => new Array<T>(length).fill(element)
const members = (length: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, value]))

/** A megabyte of empty objects. */
const emptyObjects = many(300_000, {})

/** Its length is an object that is not a number, text or list. */
const uncomparable = { length: { toString: false, valueOf: false } }

const invalid = [-32602]

const kept = (name: string, method: string, params: readonly unknown[], codes = invalid): KeptCase => ({
  name,
  method,
  params,
  codes,
})

const call = (member: object): readonly unknown[] => [{ to: address, ...member }, 'latest']

export const keptCases: readonly KeptCase[] = [
  kept(
    'bad storage keys of an access list',
    'eth_call',
    call({ accessList: [{ address, storageKeys: many(130_000, 'x') }] }),
  ),
  kept('entries of an access list', 'eth_estimateGas', call({ accessList: emptyObjects })),
  kept('bad slots', 'eth_getStorageValues', [{ [address]: many(130_000, 'x') }, 'latest'], [-32005]),
  kept('accounts without slots', 'eth_getStorageValues', [members(70_000, []), 'latest'], [-32005]),
  kept('authorizations', 'eth_call', call({ authorizationList: emptyObjects })),
  kept('hashes of blobs', 'eth_call', call({ blobVersionedHashes: emptyObjects })),
  kept('blobs', 'eth_fillTransaction', [{ from: address, blobs: emptyObjects }]),
  kept('keys of a proof', 'eth_getProof', [address, emptyObjects, 'latest'], [-32005]),
  kept('blocks of a simulation', 'eth_simulateV1', [{ blockStateCalls: emptyObjects }, 'latest'], [-38026]),
  kept(
    'calls of a simulation',
    'eth_simulateV1',
    [{ blockStateCalls: [{ calls: emptyObjects }] }, 'latest'],
    [-38026],
  ),
  kept(
    'calls of many blocks of a simulation',
    'eth_simulateV1',
    [{ blockStateCalls: many(256, { calls: many(500, {}) }) }, 'latest'],
    [-38026],
  ),
  kept('transactions of many bundles', 'eth_callMany', [many(256, { transactions: many(500, {}) }), {}]),
  kept('percentiles', 'eth_feeHistory', ['0x1', 'latest', emptyObjects], [-32000]),
  kept('state overrides', 'eth_call', [{ to: address }, 'latest', members(70_000, {})]),
  kept('slots of an override', 'eth_call', [
    { to: address },
    'latest',
    { [address]: { stateDiff: members(70_000, word) } },
  ]),
  kept('withdrawals', 'eth_call', [{ to: address }, 'latest', {}, { withdrawals: emptyObjects }]),
  kept('addresses of a filter', 'eth_getLogs', [{ address: emptyObjects }]),
  kept('topics of a filter', 'eth_newFilter', [{ topics: emptyObjects }]),
  kept('alternatives of a topic', 'eth_newFilter', [{ topics: [emptyObjects] }]),
  kept('options of a subscription', 'eth_subscribe', ['newHeads', members(70_000, 1)], [-32602, -32004]),
  kept('a text where a number is wanted', 'eth_getBalance', [address, `0x${'f'.repeat(4_000_000)}`]),
  kept('a list where a text is wanted', 'eth_getBalance', [emptyObjects, 'latest']),
  kept('members where a text is wanted', 'eth_getBalance', [members(70_000, 1), 'latest']),
  kept('a long name', 'eth_call', [{ to: address }, 'latest', { ['x'.repeat(4_000_000)]: {} }]),
  kept('a length that cannot be compared', 'eth_simulateV1', [{ blockStateCalls: uncomparable }, 'latest']),
  kept('such a length of bundles', 'eth_callMany', [uncomparable, {}]),
  kept('too many arguments', 'eth_blockNumber', emptyObjects),
]
