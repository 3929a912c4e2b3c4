import { addresses, initCodes, leaves } from '../traces/contracts.ts'
import type { ChainFacts } from './chainFacts.ts'
import type { Question } from './question.ts'
import { address, addressValues, blockRefs, quantities, storing, unknownAddress, word } from './values.ts'

/** Questions that execute code: calls, estimates, access lists, simulations. */

const blobHash = `0x01${'11'.repeat(31)}`
const maxNonce = '0xffffffffffffffff'
const rich = { balance: '0xffffffffffffffffffff' }
/** Refused by the signature, so that it is skipped. */
const authorization = {
  chainId: '0x1268',
  address: storing,
  nonce: '0x0',
  yParity: '0x0',
  r: '0x1',
  s: '0x1',
}

/** Requests that differ from a plain one in a member or two. */
const requests = ({ sender }: ChainFacts): readonly unknown[] => {
  const plain = { from: sender, to: storing, gas: '0x30d40' }
  const create = { from: sender, data: initCodes[0] }
  const members: Readonly<Record<string, readonly unknown[]>> = {
    gas: ['0x0', '0x1', '0x5207', '0x5208', '0x6000', '0xffffffff', maxNonce],
    gasPrice: ['0x0', '0x1', '0x3b9aca00', '0x174876e800', `0x${'f'.repeat(64)}`],
    maxFeePerGas: ['0x0', '0x1', '0x174876e800', `0x${'f'.repeat(64)}`],
    maxPriorityFeePerGas: ['0x0', '0x1', '0x174876e800'],
    value: ['0x0', '0x1', '0xfffffffffffffffffffffff', `0x${'f'.repeat(64)}`],
    nonce: ['0x0', '0x1', maxNonce],
    data: ['0x', '0x00', '0x1', 'zz', `0x${'00'.repeat(300)}`],
    input: ['0x', '0x00'],
    chainId: ['0x1', '0x1268', '0x0'],
    type: ['0x0', '0x2', '0x9'],
    accessList: [
      [],
      [{ address: storing, storageKeys: [word(1)] }],
      [{ address: storing }],
      [{ address: storing, storageKeys: ['0x1'] }],
      [{ storageKeys: [] }],
      {},
    ],
    blobVersionedHashes: [
      [],
      [blobHash],
      [`0x02${'11'.repeat(31)}`],
      [blobHash.slice(0, 20)],
      Array(7).fill(blobHash),
    ],
    maxFeePerBlobGas: ['0x0', '0x1', '0xffffffff'],
    authorizationList: [[], [authorization], [{ ...authorization, nonce: maxNonce }], [{}]],
  }
  return [
    plain,
    ...Object.entries(members).flatMap(([name, values]) =>
      [...values, ...quantities.slice(-11)].map((value) => ({ ...plain, [name]: value })),
    ),
    { ...plain, data: '0x00', input: '0x00' },
    { ...plain, data: '0x00', input: '0x01' },
    { ...plain, gasPrice: '0x1', maxFeePerGas: '0x1' },
    { ...plain, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' },
    { ...plain, maxFeePerGas: '0x174876e800', maxPriorityFeePerGas: '0x1' },
    { ...plain, blobVersionedHashes: [blobHash], maxFeePerBlobGas: '0x1' },
    { ...plain, blobVersionedHashes: [blobHash], maxFeePerBlobGas: '0x1', maxFeePerGas: '0x174876e800' },
    { ...plain, blobVersionedHashes: [blobHash], from: unknownAddress },
    { ...plain, authorizationList: [authorization], maxFeePerGas: '0x174876e800' },
    { ...create, blobVersionedHashes: [blobHash] },
    { ...create, authorizationList: [authorization] },
    { from: sender },
    { to: storing },
    {},
    ...initCodes.flatMap((data) => [
      { from: sender, data },
      { from: sender, data, to: null, value: '0x1' },
    ]),
    { data: `0x${'00'.repeat(49_152)}` },
    { data: `0x${'00'.repeat(49_153)}` },
    ...[...addresses.leaves, ...addresses.strictForwarders].flatMap((to) => [
      { from: sender, to },
      { from: sender, to, gas: '0x7530', data: '0x01020304' },
    ]),
    // A leaf below a call that hands failures on.
    ...addresses.leaves.map((leaf) => ({
      from: sender,
      to: addresses.strictForwarders[0],
      data: `0x${word(100_000).slice(2)}${word(BigInt(leaf)).slice(2)}${word(0).slice(2)}`,
    })),
    ...Array.from({ length: 18 }, (_, index) => address(index === 17 ? 0x100 : index)).flatMap((to) => [
      { from: sender, to },
      { from: sender, to, data: `0x${'ff'.repeat(213)}`, gas: '0x30d40' },
      { from: sender, to, data: `0x${'00'.repeat(192)}`, gas: '0x5400' },
      { from: sender, to, data: `0x${'01'.repeat(128)}`, gas: '0xf4240', value: '0x1' },
    ]),
  ]
}

const stateOverrides = ({ sender }: ChainFacts): readonly unknown[] => [
  {},
  null,
  { [storing]: {} },
  { [storing]: { code: leaves.reverts } },
  { [storing]: { code: leaves.revertsWithReason } },
  { [storing]: { code: leaves.panics } },
  { [storing]: { code: leaves.invalid } },
  { [storing]: { code: leaves.undefinedCode } },
  { [storing]: { code: leaves.context } },
  { [storing]: { code: '0x' } },
  { [storing]: { code: '0x6' } },
  { [storing]: { code: '0x4360005260206000f3' } },
  { [storing]: { balance: '0x1' } },
  { [storing]: { balance: `0x1${'0'.repeat(64)}` } },
  { [storing]: { balance: '0x01' } },
  { [storing]: { nonce: '0x5' } },
  { [storing]: { nonce: '0x10000000000000000' } },
  { [storing]: { state: { [word(1)]: word(5) } } },
  { [storing]: { stateDiff: { [word(1)]: word(5) } } },
  { [storing]: { state: {}, stateDiff: {} } },
  { [storing]: { state: { '0x1': '0x5' } } },
  { [storing]: { stateDiff: { [word(1)]: '0x5' } } },
  { [storing]: { unknown: 1 } },
  { '0x12': {} },
  { [address(4)]: { movePrecompileToAddress: unknownAddress } },
  { [unknownAddress]: { movePrecompileToAddress: storing } },
  { [address(4)]: { movePrecompileToAddress: address(4) } },
  { [address(4)]: { movePrecompileToAddress: address(2) } },
  { [sender]: { balance: '0x0' } },
  { [sender]: { nonce: maxNonce } },
  { [sender]: { code: '0x00' } },
]

const blockOverrides: readonly unknown[] = [
  {},
  null,
  { number: '0x1' },
  { number: '0xffffffffffffffff' },
  { number: `0x${'f'.repeat(64)}` },
  { time: '0x0' },
  { time: maxNonce },
  { gasLimit: '0x1' },
  { gasLimit: '0x10' },
  { baseFeePerGas: '0x1' },
  { baseFeePerGas: `0x${'f'.repeat(64)}` },
  { blobBaseFee: '0x5' },
  { feeRecipient: unknownAddress },
  { coinbase: unknownAddress },
  { prevRandao: word(7) },
  { random: word(7) },
  { difficulty: '0x5' },
  { withdrawals: [] },
  { beaconRoot: word(1) },
  { baseFee: '0x1' },
  { number: 1 },
]

const callMethods = ['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'debug_traceCall'] as const

const calls = function* (facts: ChainFacts): Generator<Question> {
  const { sender } = facts
  const context = { from: sender, to: storing, gas: '0x30d40' }
  for (const method of callMethods) {
    const more = method === 'debug_traceCall' ? [{ tracer: 'callTracer' }] : []
    for (const request of requests(facts)) {
      // Without a price geth looks for one that is usual, by a rule of its own.
      const isPriced = method !== 'eth_createAccessList' || typeof request !== 'object'
      const params = isPriced ? [request] : [{ gasPrice: '0x3b9aca00', ...request }]
      yield { method, params: [...params, 'latest', ...more] }
    }
    const priced = method === 'eth_createAccessList' ? { ...context, gasPrice: '0x174876e800' } : context
    for (const ref of blockRefs(facts)) yield { method, params: [priced, ref, ...more] }
    for (const from of addressValues(facts))
      yield { method, params: [{ ...priced, from }, 'latest', ...more] }
    for (const to of addressValues(facts)) yield { method, params: [{ ...priced, to }, 'latest', ...more] }
    for (const overrides of stateOverrides(facts)) {
      const given = method === 'debug_traceCall' ? [{ ...more[0], stateOverrides: overrides }] : [overrides]
      yield { method, params: [priced, 'latest', ...given] }
      yield { method, params: [{ ...priced, to: null, data: initCodes[0] }, 'latest', ...given] }
    }
    for (const overrides of blockOverrides) {
      const given =
        method === 'debug_traceCall' ? [{ ...more[0], blockOverrides: overrides }] : [{}, overrides]
      yield { method, params: [priced, 'latest', ...given] }
      const code = { [storing]: { code: leaves.context } }
      const coded =
        method === 'debug_traceCall'
          ? [{ stateOverrides: code, blockOverrides: overrides }]
          : [code, overrides]
      yield { method, params: [priced, 'latest', ...coded] }
    }
    const exhausted = { [sender]: { nonce: maxNonce } }
    const creation = { ...priced, to: null, data: '0x00' }
    const given = method === 'debug_traceCall' ? [{ ...more[0], stateOverrides: exhausted }] : [exhausted]
    yield { method, params: [creation, 'latest', ...given] }
    yield { method, params: [] }
    yield { method, params: [priced, 'latest', {}, {}, {}, {}] }
  }
}

const simulations = function* (facts: ChainFacts): Generator<Question> {
  const { sender } = facts
  const one = (call: unknown, more: object = {}, block: object = {}): Question => ({
    method: 'eth_simulateV1',
    params: [{ blockStateCalls: [{ calls: [call], ...block }], ...more }, 'latest'],
  })
  for (const request of requests(facts)) yield one(request)
  const paid = { from: sender, to: storing, gas: '0x30d40', maxFeePerGas: '0x174876e800' }
  for (const overrides of stateOverrides(facts)) {
    yield one(paid, {}, { stateOverrides: overrides })
    yield one({ from: sender, data: '0x00', gas: '0x30d40' }, {}, { stateOverrides: overrides })
  }
  for (const overrides of blockOverrides) yield one(paid, {}, { blockOverrides: overrides })
  for (const more of [{ validation: true }, { traceTransfers: true }, { returnFullTransactions: true }]) {
    yield one(paid, more)
    yield one({ from: sender, to: unknownAddress, value: '0x5' }, more)
    for (const nonce of ['0x0', maxNonce]) yield one({ ...paid, nonce }, more)
    yield one({ from: unknownAddress, to: storing, value: '0x1' }, more, {
      stateOverrides: { [unknownAddress]: rich },
    })
    yield one({ from: sender, data: '0x00' }, more, { stateOverrides: { [sender]: { nonce: maxNonce } } })
    for (const value of [blobHash, `0x02${blobHash.slice(4)}`])
      yield one({ ...paid, blobVersionedHashes: [value], maxFeePerBlobGas: '0x1' }, more)
  }
  for (const ref of blockRefs(facts))
    yield { method: 'eth_simulateV1', params: [{ blockStateCalls: [{ calls: [paid] }] }, ref] }
  const head = Number(facts.head.number)
  const at = (number: number) => ({ blockOverrides: { number: `0x${number.toString(16)}` } })
  for (const blockStateCalls of [
    [],
    null,
    {},
    [{}],
    [null],
    [{}, {}],
    [{ calls: null }],
    [{ calls: [paid, paid] }, { calls: [paid] }],
    [at(head)],
    [at(head + 3)],
    [at(head + 256)],
    [at(head + 257)],
    [at(head + 2), at(head + 1)],
    [{ blockOverrides: { time: '0x1' } }],
    Array(257).fill({}),
  ])
    yield { method: 'eth_simulateV1', params: [{ blockStateCalls }, 'latest'] }
}

export const callQuestions = function* (facts: ChainFacts): Generator<Question> {
  yield* calls(facts)
  yield* simulations(facts)
}
