import { describe, expect, it } from 'vitest'
import { firstBlock } from '../../../test/support/blocks.ts'
import { createCandidate } from '../../../test/support/signedCandidates.ts'
import { slow } from '../../../test/support/slow.ts'
import { sha256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import type { InvalidReason } from '../../chain/transaction/invalidReason.ts'
import { codes } from '../codes.ts'
import { addLogs, resultsVersion, toIncludedResult, toRejection } from './buildResults.ts'
import { decodeEventOutcomes } from './eventOutcomes.ts'
import type { NativeResult } from './nativeResult.ts'
import { ResponseSpace } from './responseSpace.ts'

/**
 * What CometBFT hashes of results. A change here parts nodes of two releases: it needs another version, which begins at
 * a scheduled block.
 */

const { transaction, raw, hash, sender } = createCandidate(0, 0n)
const header = { ...firstBlock().header, number: 7n, timestamp: 1_000n }
const block = { header, hash: new Uint8Array(32).fill(0xbb) }

interface Outcome {
  readonly error?: string
  readonly output?: Uint8Array
  readonly logs?: readonly Log[]
}

const resultOf = (
  { error, output = new Uint8Array(0), logs = [] }: Outcome,
  space = new ResponseSpace(),
): NativeResult => {
  const result = { success: error === undefined, error, output, logs, gasUsed: 30_000n, peakGas: 35_000n }
  return addLogs(toIncludedResult({ transaction, hash, sender, result }, raw, block, 3, space), logs, space)
}

const hashed = ({ code, data, gasWanted, gasUsed }: NativeResult) => ({
  code,
  data: toHex(data),
  gasWanted,
  gasUsed,
})

const log: Log = {
  address: new Uint8Array(20).fill(1),
  topics: [new Uint8Array(32).fill(2)],
  data: new Uint8Array(100_000).fill(3),
}

describe('the hashed fields of results, version 1', () => {
  it('are these bytes', () => {
    expect(resultsVersion).toBe(1)
    const { data, ...rest } = hashed(resultOf({ output: Uint8Array.of(1, 2, 3) }))
    expect(rest).toEqual({ code: 0, gasWanted: 21_000n, gasUsed: 30_000n })
    expect(data).toMatchInlineSnapshot(
      `"0x12a1010a272f636f736d6f732e65766d2e766d2e76312e4d7367457468657265756d5478526573706f6e736512760a423078636262643535366566393366313638643565303563396435396139366237656365623861343362353665356261376332383135623537623237343631663362641a0301020328b0ea0130b891023a20bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb40e807"`,
    )
    const failed = hashed(resultOf({ error: 'execution reverted', output: new Uint8Array(5_000).fill(9) }))
    expect(failed.code).toBe(1)
    expect(toHex(sha256(Buffer.from(failed.data)))).toMatchInlineSnapshot(
      `"0xb1805612dcf7f5f11a8add18e438119c5fd67552ecaddd4a53d86f28512dceb5"`,
    )
  })

  it('have at most 1 KB of return data and nothing of logs and texts', () => {
    const plain = hashed(resultOf({}))
    expect(hashed(resultOf({ logs: [log, log] }))).toEqual(plain)
    const failed = hashed(resultOf({ error: 'execution reverted' }))
    for (const error of ['out of gas', 'reworded in another release', 'x'.repeat(1_000_000)])
      expect(hashed(resultOf({ error }))).toEqual(failed)
    const long = resultOf({ output: new Uint8Array(1_000_000) })
    expect(long.data.length).toBeLessThan(1_400)
    expect(hashed(resultOf({ output: new Uint8Array(1_024) }))).toEqual(hashed(long))
    expect(hashed(resultOf({ output: new Uint8Array(1_023) }))).not.toEqual(hashed(long))
  })

  it('have 8 MiB of return data in a block, in the order of its transactions, and then none', () => {
    const space = new ResponseSpace()
    const whole = hashed(resultOf({ output: new Uint8Array(5_000) }))
    const without = hashed(resultOf({}))
    for (let taken = 0; taken < 8 * 1024; taken++) space.takeReturn(1_024)
    expect(hashed(resultOf({}, space))).toEqual(without)
    expect(hashed(resultOf({ output: Uint8Array.of(1) }, space))).toEqual(without)
    const almost = new ResponseSpace()
    almost.takeReturn((8 * 1024 - 1) * 1_024)
    expect(hashed(resultOf({ output: new Uint8Array(5_000) }, almost))).toEqual(whole)
    expect(hashed(resultOf({ output: new Uint8Array(5_000) }, almost))).toEqual(without)
    // Neither logs nor the size of results matter.
    const full = new ResponseSpace()
    full.takeResult(200 * 1024 * 1024)
    expect(hashed(resultOf({ output: new Uint8Array(5_000), logs: [log] }, full))).toEqual(whole)
  })

  it('have these codes for what execution rejects', () => {
    const reasons: readonly InvalidReason[] = [
      'nonce too low',
      'insufficient funds for transfer',
      'gas overflow',
      'gas limit reached',
      'no room in the block',
    ]
    expect(reasons.map((reason) => toRejection(reason).code)).toEqual([32, 5, 41, 11, 100])
    expect(codes).toMatchInlineSnapshot(`
      {
        "alreadyKnown": 19,
        "failed": 1,
        "insufficientFee": 13,
        "insufficientFunds": 5,
        "invalidChainId": 28,
        "invalidGasLimit": 41,
        "invalidRequest": 18,
        "invalidType": 29,
        "malformed": 2,
        "noRoom": 100,
        "notSupported": 37,
        "outOfGas": 11,
        "poolFull": 20,
        "success": 0,
        "tooLarge": 21,
        "wrongSequence": 32,
        "wrongSigner": 24,
      }
    `)
  })
})

describe('the rest of a result', () => {
  it('has the logs as events, and they come back whole', slow, () => {
    const events = resultOf({ logs: [log, log] }).events.map(({ type, attributes }) => ({
      type,
      attributes: attributes.map(({ key, value }) => ({ key, value: Buffer.from(value).toString() })),
    }))
    expect(decodeEventOutcomes(events)).toMatchObject([
      { hash: toHex(hash), gasUsed: 30_000n, logs: [log, log] },
    ])
  })

  it('has at most 1 KB of error text', () => {
    const { log: text, events } = resultOf({ error: 'x'.repeat(1_000_000) })
    expect(text).toHaveLength(1_024)
    for (const { attributes } of events)
      for (const { value } of attributes) expect(value.length).toBeLessThanOrEqual(1_024)
  })

  it('has no more logs than the response to the engine can hold, and says so', slow, () => {
    const space = new ResponseSpace()
    const large: Log = { ...log, data: new Uint8Array(15 * 1024 * 1024) }
    const kinds = Array.from({ length: 4 }, () => {
      const found = resultOf({ logs: [large] }, space).events.find(({ type }) => type === 'tx_log')
      return found?.attributes[0]?.key
    })
    expect(kinds).toEqual(['txLog', 'txLog', 'omitted', 'omitted'])
  })
})
