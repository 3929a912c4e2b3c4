import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHeader } from '../../../src/chain/block/header.ts'
import type { NativeBlock, NativeBlockResults } from '../../../src/comet/data/nativeBlock.ts'
import { parseBlock } from '../../../src/comet/data/parseBlock.ts'
import { parseNewBlock } from '../../../src/comet/data/parseNewBlock.ts'
import { parseResults } from '../../../src/comet/data/parseResults.ts'
import { UpstreamError } from '../../../src/comet/data/upstreamError.ts'
import { verifyBlock } from '../../../src/comet/data/verifyBlock.ts'
import type { ChainInfo } from '../../../src/cosmos/chainInfo.ts'
import { decodeContents } from '../../../src/cosmos/transaction/contents.ts'
import { checkConsistency } from '../../../src/families/convert/consistency.ts'
import { convertBlock } from '../../../src/families/convert/convertBlock.ts'
import { families } from '../../../src/families/families.ts'
import { encodeBlockRows } from '../../../src/store/blockRows.ts'
import { createCandidate } from '../../support/signedCandidates.ts'
import { slow } from '../../support/slow.ts'
import {
  blockReply,
  conversionContext,
  exampleChainInfo,
  resultsReply,
  type SampleBlock,
  type Version,
} from './exampleBlocks.ts'
import { asBytes, bankSend, inParts, nativeTx, newData, oldData } from './messages.ts'

const hugeNumber = fc.bigInt({ min: 2n ** 64n, max: 10n ** 78n - 1n }).map(String)

/** Any JSON, often of the kind that a member has. */
const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    '0',
    '-1',
    'A',
    '=',
    'AAAA',
    'zz',
    [],
    {},
    -0,
    0.5,
    1e300,
    2 ** 32,
  ),
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  // Up to 78 digits: more than 256 bits.
  hugeNumber,
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('hex').toUpperCase()),
  fc.jsonValue({ maxDepth: 2 }),
)

type Path = readonly (string | number)[]

const pathsOf = (value: unknown, path: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([key, child]) => pathsOf(child, [...path, key]))]
    : [path]

const replaced = (value: unknown, [key, ...rest]: Path, change: (old: unknown) => unknown): unknown => {
  if (key === undefined) return change(value)
  const copy: Record<string, unknown> = Array.isArray(value)
    ? (Object.assign([], value) as never) // an array has its indexes for keys
    : { ...(value as object) }
  copy[key] = replaced(copy[key], rest, change)
  return copy
}

/** One to three members replaced, removed, or with a character changed. */
const mutated = (value: unknown): fc.Arbitrary<unknown> => {
  const paths = pathsOf(value)
  const change = fc.oneof(
    junk.map((other) => () => other),
    fc.constant(() => undefined),
    fc
      .tuple(fc.nat(), fc.constantFrom('A', 'b', '0', '9', '/', '=', ' '))
      .map(([at, character]) => (old: unknown) => {
        if (typeof old !== 'string' || old === '') return old
        const place = at % old.length
        return old.slice(0, place) + character + old.slice(place + 1)
      }),
  )
  return fc
    .array(fc.tuple(fc.constantFrom(...paths), change), { minLength: 1, maxLength: 3 })
    .map((changes) => {
      let result = value
      for (const [path, apply] of changes)
        try {
          result = replaced(result, path, apply)
        } catch {
          // An earlier change took the place of this one away.
        }
      return result
    })
}

const first = createCandidate(0, 0n)
const second = createCandidate(1, 0n)
const log = { address: new Uint8Array(20), topics: [new Uint8Array(32)], data: Uint8Array.of(1) }

const sample: SampleBlock = {
  transactions: [
    nativeTx(asBytes(first)),
    nativeTx(inParts(second), inParts(createCandidate(2, 0n))),
    nativeTx(bankSend),
  ],
  results: [
    { data: newData([{ hash: first.hash, gasUsed: 21_000n, logs: [log] }]), gasUsed: 21_000n },
    { data: oldData([{ gasUsed: 1n, logs: [log] }, { gasUsed: 2n }]), gasUsed: 3n },
    { code: 5, log: 'no', events: [{ type: 'transfer', attributes: [['amount', '5x']] }] },
  ],
  events: [
    { type: 'fee_market', attributes: [['base_fee', '7.5']] },
    {
      type: 'block_gas',
      attributes: [
        ['height', '7'],
        ['amount', '3'],
      ],
    },
  ],
}

const versions: readonly Version[] = ['0.34', '0.37', '0.38']
const names = families.map(({ name }) => name)

/** Runs, and swallows what may be thrown. */
const orFault = <T>(run: () => T): T | undefined => {
  try {
    return run()
  } catch (error) {
    if (error instanceof UpstreamError) return undefined
    throw error
  }
}

const factsOf = (family: string): ChainInfo => ({ ...exampleChainInfo, family })

const convert = (block: NativeBlock, results: NativeBlockResults, family: string): void =>
  orFault(() => {
    const converted = convertBlock(block, results, conversionContext, factsOf(family))
    checkConsistency(converted)
    // What is stored is a hash and the header.
    decodeHeader(encodeBlockRows(converted).header.subarray(32))
  })

const runs = { numRuns: 600, seed: 17 }

describe('answers that are not well formed', () => {
  const block = blockReply(sample)

  it('blocks: only faults of the node are thrown, and what passes is whole', slow, () => {
    let passed = 0
    const results = parseResults(resultsReply(sample))
    fc.assert(
      fc.property(mutated(block), fc.constantFrom(...names), (reply, family) => {
        const parsed = orFault(() => parseBlock(reply))
        if (parsed === undefined) return
        passed++
        convert(parsed, results, family)
        orFault(() => verifyBlock(parsed, { chainId: 'sample_5-1', height: 7 }))
      }),
      runs,
    )
    expect(passed).toBeGreaterThan(100)
  })

  it.each(versions)('results of %s: only faults of the node are thrown', (version) => {
    let passed = 0
    const parsed = parseBlock(block)
    fc.assert(
      fc.property(mutated(resultsReply(sample, version)), fc.constantFrom(...names), (reply, family) => {
        const results = orFault(() => parseResults(reply))
        if (results === undefined) return
        passed++
        convert(parsed, results, family)
      }),
      runs,
    )
    expect(passed).toBeGreaterThan(100)
  })

  it('events: only faults of the node are thrown', slow, () => {
    const { block_id, ...rest } = block as { readonly block_id: unknown; readonly block: unknown }
    const results = resultsReply(sample) as Record<string, unknown>
    const finalized = { ...results, tx_results: results.txs_results, events: results.finalize_block_events }
    const event = {
      query: "tm.event='NewBlock'",
      data: {
        type: 'tendermint/event/NewBlock',
        value: { ...rest, block_id, result_finalize_block: finalized },
      },
    }
    expect(parseNewBlock(event)).toEqual({ block: parseBlock(block), results: parseResults(results) })
    fc.assert(
      fc.property(mutated(event), (reply) => {
        const parsed = orFault(() => parseNewBlock(reply))
        if (parsed?.results !== undefined) convert(parsed.block, parsed.results, 'ethermint')
      }),
      runs,
    )
  })

  it('whatever numbers the events of a block tell', () => {
    const parsed = parseBlock(block)
    const types = fc.constantFrom('fee_market', 'evm_fee_market', 'block_gas')
    const values = fc
      .tuple(hugeNumber, fc.constantFrom('', '.5', `.${'9'.repeat(18)}`))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(types, values, fc.constantFrom(...names), (type, value, family) => {
        const attributes = [['base_fee', value] as const, ['amount', value] as const]
        convert(parsed, parseResults(resultsReply({ ...sample, events: [{ type, attributes }] })), family)
      }),
      runs,
    )
  })

  it('whatever is in the bytes of a transaction or a result', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc
        .tuple(
          fc.constantFrom(...sample.transactions, ...sample.results.flatMap(({ data }) => data ?? [])),
          fc.nat(),
          fc.nat(255),
        )
        .map(([original, at, byte]) => {
          const copy = original.slice()
          copy[at % copy.length] = byte
          return copy
        }),
    )
    fc.assert(
      fc.property(bytes, bytes, fc.constantFrom(...names), (transaction, data, family) => {
        decodeContents(transaction)
        const changed: SampleBlock = { transactions: [transaction], results: [{ data }] }
        convert(parseBlock(blockReply(changed)), parseResults(resultsReply(changed)), family)
      }),
      runs,
    )
  })
})
