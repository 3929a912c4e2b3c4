import { describe, expect, it, test } from 'vitest'
import { firstBlock } from '../../../../test/support/blocks.ts'
import { createCandidate } from '../../../../test/support/signedCandidates.ts'
import { toBlockResults } from '../../../app/nativeResults.ts'
import { maxBlockEntries, maxBlockTransactionBytes } from '../../../app/proposal/rules.ts'
import type { Log } from '../../../chain/block/receiptLog.ts'
import {
  addLogs,
  proposerResult,
  toIncludedResult,
  toRejectedResult,
} from '../../../cosmos/results/buildResults.ts'
import { toBlockEvents } from '../../../cosmos/results/nativeEvents.ts'
import { encodedSize, type NativeResult } from '../../../cosmos/results/nativeResult.ts'
import { maxResultsBytes, ResponseSpace } from '../../../cosmos/results/responseSpace.ts'
import { encodeFinalizeResponse } from './finalizeResponse.ts'
import { encodeResponse } from './messages.ts'

/** CometBFT's limit of a message of the application. */
const engineLimit = 100 * 1024 * 1024

const header = { ...firstBlock().header, number: 2n ** 40n, timestamp: 2n ** 33n }
const block = { header, hash: new Uint8Array(32).fill(0xbb) }
const { transaction, raw, hash, sender } = createCandidate(0, 0n)

interface Outcome {
  readonly to?: Uint8Array | undefined
  readonly value?: bigint
  readonly error?: string | undefined
  readonly output?: Uint8Array
  readonly logs?: readonly Log[]
}

const executed = ({ value = 0n, error, output = new Uint8Array(0), logs = [], ...given }: Outcome) => ({
  transaction: { ...transaction, value, to: 'to' in given ? given.to : transaction.to } as typeof transaction,
  hash,
  sender,
  result: {
    success: error === undefined,
    error,
    output,
    logs,
    gasUsed: 2n ** 30n,
    peakGas: 2n ** 30n,
  },
})

const resultOf = (outcome: Outcome, space = new ResponseSpace()): NativeResult =>
  toIncludedResult(executed(outcome), raw, block, 99_999, space)

const lengthOf = (...results: readonly NativeResult[]): number =>
  encodeFinalizeResponse({ hash, results, events: [], validatorChanges: [] }).length

const log: Log = { address: new Uint8Array(20), topics: [new Uint8Array(32)], data: new Uint8Array(300) }
/** The longest of the EVM's reasons. */
const longError = 'contract creation code storage out of gas'

describe('the size of a result', () => {
  it.each([
    ['of the proposer', proposerResult],
    ['of a rejected transaction', toRejectedResult({ code: 5, message: 'too little, naïve' })],
    ['of a call', resultOf({ output: new Uint8Array(32) })],
    ['of a failed creation', resultOf({ to: undefined, error: longError, value: 2n ** 256n - 1n })],
    ['whose logs are omitted', resultOf({ logs: [log] })],
    ['with logs', addLogs(resultOf({ logs: [log] }), [log, log], new ResponseSpace())],
  ])('%s is that of its encoding', (_, result) => {
    // The response has a length of its own, which grows with it.
    const [one, two] = [lengthOf(result), lengthOf(result, result)]
    expect([encodedSize(result), encodedSize(result) + 1]).toContain(two - one)
  })
})

test('the response is as the library encodes it', () => {
  const results = [
    proposerResult,
    toRejectedResult({ code: 5, message: 'too little, naïve' }),
    resultOf({ output: new Uint8Array(32).fill(7) }),
    addLogs(resultOf({ logs: [log] }), [log, log], new ResponseSpace()),
  ]
  const events = toBlockEvents({ ...header, logsBloom: new Uint8Array(256).fill(255) }, 1)
  const validatorChanges = [0n, 10n].map((power) => ({ publicKey: new Uint8Array(32).fill(3), power }))
  const toEvents = (some: NativeResult['events']) =>
    some.map(({ type, attributes }) => ({ type, attributes: [...attributes] }))
  const expected = encodeResponse({
    case: 'finalizeBlock',
    value: {
      appHash: hash,
      events: toEvents(events),
      txResults: results.map((result) => ({ ...result, events: toEvents(result.events) })),
      validatorUpdates: validatorChanges.map(({ publicKey, power }) => ({
        pubKey: { sum: { case: 'ed25519', value: publicKey } },
        power,
      })),
    },
  })
  expect(encodeFinalizeResponse({ hash, results, events, validatorChanges })).toEqual(expected)
})

/** The least raw bytes of a transaction with and without a recipient: a legacy one, with a signature that was searched for. */
const leastRaw = { call: 92, creation: 72 }
/** Those of a value of 32 bytes. */
const valueBytes = 32

describe('the response for the largest blocks', () => {
  const cases: readonly (readonly [string, Outcome, raw: number, gas: number])[] = [
    ['calls', { error: longError }, leastRaw.call, 21_000],
    ['calls with value', { error: longError, value: 2n ** 256n - 1n }, leastRaw.call + valueBytes, 21_000],
    ['calls with logs', { logs: [log] }, leastRaw.call, 21_375],
    ['creations', { to: undefined, error: longError }, leastRaw.creation, 53_000],
  ]
  it.each(
    cases.flatMap((one) => [10 ** 9, Number.MAX_SAFE_INTEGER].map((gasLimit) => [...one, gasLimit] as const)),
  )('of %s fits', (_, outcome, rawBytes, gas, gasLimit) => {
    const count = Math.min(
      maxBlockEntries - 1,
      Math.floor(maxBlockTransactionBytes / rawBytes),
      Math.floor(gasLimit / gas),
    )
    const space = new ResponseSpace()
    const whole = encodedSize(resultOf({ ...outcome, output: new Uint8Array(1_024) }))
    const without = encodedSize(resultOf(outcome))
    let withReturn = 0
    while (space.takeReturn(1_024)) withReturn++
    // Return data that is spread over all of them has a few bytes of lengths for each.
    const results = withReturn * whole + (count - withReturn) * without + count * 8
    expect(withReturn).toBeLessThan(count)
    expect(results).toBeLessThan(maxResultsBytes)
    const events = toBlockEvents({ ...header, logsBloom: new Uint8Array(256).fill(255) }, 1)
    const rest = encodeFinalizeResponse({ hash, results: [], events, validatorChanges: [] }).length
    expect(maxResultsBytes + rest).toBeLessThan(engineLimit - 3 * 1024 * 1024)
  })
})

describe('the logs of a block', () => {
  /** Executes nothing: gives each entry the outcome. */
  const resultsOf = (outcomes: readonly Outcome[], space?: ResponseSpace): NativeResult[] => {
    const candidates = outcomes.map(() => ({ transaction, raw, hash, sender }))
    return toBlockResults(
      outcomes.map(() => raw),
      candidates.map((candidate) => ({ kind: 'candidate', candidate })),
      block,
      {
        rejected: [],
        transactions: outcomes.map((outcome) => executed(outcome)) as never, // receipts are not read
      },
      space,
    )
  }
  const tiny: Log = { address: new Uint8Array(20), topics: [], data: new Uint8Array(0) }
  const kindOf = ({ events }: NativeResult) =>
    events.find(({ type }) => type === 'tx_log')?.attributes[0]?.key

  const mebibyte = 1024 * 1024
  const total = (results: readonly NativeResult[]): number =>
    results.reduce((sum, result) => sum + encodedSize(result), 0)

  it('are charged with tags and keys: small ones do not get past the limit', () => {
    const space = new ResponseSpace()
    space.takeLogs(47 * mebibyte)
    const outcomes = Array.from({ length: 20 }, () => ({ logs: Array.from({ length: 1_000 }, () => tiny) }))
    const results = resultsOf(outcomes, space)
    expect(new Set(results.map(kindOf))).toEqual(new Set(['txLog', 'omitted']))
    const without = total(outcomes.map((outcome) => resultOf(outcome)))
    expect(total(results) - without).toBeLessThanOrEqual(mebibyte)
    expect(total(results) - without).toBeGreaterThan(0.85 * mebibyte)
  })

  it('get what all results leave, also those after them', () => {
    const logs = [{ ...log, data: new Uint8Array(100_000) }]
    const others: Outcome[] = Array.from({ length: 500 }, () => ({ error: 'x'.repeat(1_024) }))
    const kindIn = (used: number) => {
      const space = new ResponseSpace()
      space.takeResult(used)
      const results = resultsOf([{ logs }, ...others], space)
      expect(used + total(results)).toBeLessThanOrEqual(maxResultsBytes)
      return kindOf(results[0] as NativeResult)
    }
    expect(kindIn(0)).toBe('txLog')
    expect(kindIn(maxResultsBytes - total(resultsOf([{ logs }, ...others])))).toBe('txLog')
    expect(kindIn(maxResultsBytes - total(resultsOf([{ logs }, ...others])) + 1)).toBe('omitted')
  })
})
