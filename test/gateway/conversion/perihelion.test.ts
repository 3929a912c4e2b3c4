import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Application } from '../../../src/app/application.ts'
import { fromHex, toHex } from '../../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import { createDevGenesis } from '../../../src/chain/genesis/devGenesis.ts'
import type { RecoveredTransaction } from '../../../src/chain/transaction/transaction.ts'
import type { NativeBlockResults } from '../../../src/comet/data/nativeBlock.ts'
import { parseBlock } from '../../../src/comet/data/parseBlock.ts'
import { parseResults } from '../../../src/comet/data/parseResults.ts'
import { UntakenBlockError } from '../../../src/comet/data/upstreamError.ts'
import type { NativeEvent } from '../../../src/cosmos/results/nativeEvents.ts'
import { createEvm } from '../../../src/evm/evm.ts'
import { loadEvmModules } from '../../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../../src/evm/precompiles/precompileTable.ts'
import { checkConsistency } from '../../../src/families/convert/consistency.ts'
import { convertBlock } from '../../../src/families/convert/convertBlock.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { BlockStore } from '../../../src/store/blockStore.ts'
import { proposeEntries } from '../../support/proposals.ts'
import { addressOf, createCandidate, testChainId } from '../../support/signedCandidates.ts'
import { served } from '../recordings/recordings.ts'
import {
  blockReply,
  conversionContext,
  exampleChainInfo,
  resultsReply,
  type SampleBlock,
  type SampleEvent,
} from './exampleBlocks.ts'

/** LOG1 with 32 bytes and topic 7, as init code; returns no code. */
const logs = fromHex('0x600760206000a160006000f3')
/** Init code that reverts with two bytes. */
const reverts = fromHex('0x61abcd6000526002601efd')

const genesis = createDevGenesis({
  chainId: testChainId,
  accounts: [0, 1].map((sender) => ({ address: addressOf(sender), balance: 10n ** 20n })),
  coinbase: new Uint8Array(20),
  timestamp: 100n,
})
const facts = { ...exampleChainInfo, family: 'perihelion', config: genesis.config } as const

let folder: string
let environment: LmdbEnvironment
let blocks: BlockStore
const samples: SampleBlock[] = []

const toSample = ({ type, attributes }: NativeEvent): SampleEvent => ({
  type,
  attributes: attributes.map(({ key, value }) => [key, Buffer.from(value).toString('utf8')]),
})

/** Blocks of our own application, as its engine would tell of them. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-own-'))
  environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb') })
  blocks = new BlockStore(environment)
  const evm = createEvm(await loadEvmModules(), precompilesAt)
  const app = new Application(genesis.config, {
    environment,
    state: new StateStore(environment),
    blocks,
    evm,
  })
  await app.initChain(genesis)
  const creation = { to: undefined, value: 0n, gasLimit: 100_000n }
  const rounds: readonly (readonly RecoveredTransaction[])[] = [
    [],
    [
      createCandidate(0, 0n),
      createCandidate(1, 0n, { ...creation, data: logs }),
      createCandidate(0, 5n),
      createCandidate(1, 1n, { ...creation, data: reverts }),
      createCandidate(1, 2n, { ...creation, data: logs }),
    ],
    [createCandidate(0, 1n)],
  ]
  for (const [index, candidates] of rounds.entries()) {
    const height = index + 1
    const time = 105n + BigInt(height)
    const transactions = proposeEntries(app, candidates, { time })
    if (height === 2) transactions.splice(2, 0, Uint8Array.of(1, 2, 3))
    const engineHash = new Uint8Array(32).fill(height)
    const { hash, results, events } = app.finalizeDecided({ height, time, engineHash, entries: transactions })
    await app.commit()
    samples.push({
      height,
      transactions,
      results: results.map((result) => ({ ...result, events: result.events.map(toSample) })),
      events: events.map(toSample),
      appHashAfter: hash,
    })
  }
})

afterAll(async () => {
  await environment.close()
  rmSync(folder, { recursive: true })
})

const native = (height: number) => {
  const sample = samples[height - 1] as SampleBlock
  return { block: parseBlock(blockReply(sample)), results: parseResults(resultsReply(sample)) }
}

const json = (bytes: Uint8Array | undefined): unknown => JSON.parse(Buffer.from(bytes ?? []).toString())

describe('our own chain through its engine', () => {
  it.each([1, 2, 3])('block %i is the one that the node stores', (height) => {
    const { block, results } = native(height)
    const converted = convertBlock(block, results, conversionContext, facts)
    checkConsistency(converted)
    expect(toHex(converted.hash)).toBe(toHex(blocks.blockHashAt(height) as Uint8Array))
    expect(converted.native.hash).toEqual(block.hash)
    const { full, hashes, receipts } = served(converted)
    expect(full).toEqual(json(blocks.blockJson(height, true)))
    expect(hashes).toEqual(json(blocks.blockJson(height, false)))
    expect(receipts).toEqual(json(blocks.receiptsJson(height)))
    for (const [index, { raw }] of converted.transactions.entries())
      expect(toHex(raw)).toBe(toHex(blocks.rawTransaction(height, index) as Uint8Array))
  })

  it('inverts the code of the engine to the status of a receipt', () => {
    const { block, results } = native(2)
    const { transactions, native: told } = convertBlock(block, results, conversionContext, facts)
    expect(told.transactions.map(({ code, ethereumIndexes }) => [code, ...ethereumIndexes])).toEqual([
      [0],
      [0, 0],
      [2],
      [0, 1],
      [32],
      [1, 2],
      [0, 3],
    ])
    expect(transactions.map(({ receipt }) => receipt.outcome)).toEqual([true, true, false, true])
  })

  it('is not taken, and its node not blamed, for results of a later version or logs that found no space', () => {
    const { block, results } = native(2)
    const convert = (changed: NativeBlockResults) => () =>
      convertBlock(block, changed, conversionContext, facts)
    const later = { type: 'ethereum_results', attributes: [{ key: 'version', value: '2' }] }
    expect(convert({ ...results, events: [...results.events, later] })).toThrow(UntakenBlockError)
    const transactions = results.transactions.map((result) => ({
      ...result,
      events: result.events.map((event) =>
        event.type === 'tx_log' ? { ...event, attributes: [{ key: 'omitted', value: '1' }] } : event,
      ),
    }))
    expect(convert({ ...results, transactions })).toThrow(UntakenBlockError)
  })

  it('is refused where a part is not what the header commits to', () => {
    const { block, results } = native(2)
    const refuses = (changed: NativeBlockResults, message: string) =>
      expect(() => convertBlock(block, changed, conversionContext, facts)).toThrow(message)
    refuses({ ...results, events: [] }, 'no event ethereum_header')
    refuses({ ...results, appHash: new Uint8Array(32) }, 'not the one that the application committed')
    const header = native(1).results
    refuses({ ...header, height: 2, transactions: results.transactions }, 'the Ethereum header of block 1')
    const change = (at: number, fields: object): NativeBlockResults => ({
      ...results,
      transactions: results.transactions.map((result, index) =>
        index === at ? { ...result, ...fields } : result,
      ),
    })
    refuses(change(1, { gasUsed: 21_001n }), 'its receipts')
    refuses(change(1, { code: 1 }), 'its receipts')
    refuses(change(1, { code: 2 }), 'its transactions')
    refuses(change(3, { code: 5 }), 'its transactions')
    refuses(change(1, { data: results.transactions[3]?.data }), 'is of another one')
    const withoutLogs = (at: number) =>
      change(at, { events: results.transactions[at]?.events.filter(({ type }) => type !== 'tx_log') })
    refuses(withoutLogs(6), 'its receipts')
    refuses(change(6, { events: [] }), 'does not tell of 1 Ethereum')
    const bytes = 'AAAA'
    const events = [{ type: 'ethereum_header', attributes: [{ key: 'rlp', value: bytes }] }]
    refuses({ ...results, events }, 'invalid ethereum_header')
  })
})
