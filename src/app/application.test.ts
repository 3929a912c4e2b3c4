import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { firstTransactions, testSender } from '../../test/support/arbitraryTransactions.ts'
import { proposeEntries } from '../../test/support/proposals.ts'
import { addressOf, createCandidate, testChainId } from '../../test/support/signedCandidates.ts'
import { keccak256 } from '../base/crypto/crypto.ts'
import { fromHex, toHex } from '../base/encoding/hex.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { decodeHeader } from '../chain/block/header.ts'
import { createDevGenesis } from '../chain/genesis/devGenesis.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'
import { codes } from '../cosmos/codes.ts'
import { TxMsgDataSchema } from '../cosmos/gen/cosmos/base/abci/v1beta1/abci_pb.ts'
import { MsgEthereumTxResponseSchema } from '../cosmos/gen/cosmos/evm/vm/v1/tx_pb.ts'
import type { NativeResult } from '../cosmos/results/nativeResult.ts'
import { perihelionDialect } from '../cosmos/transaction/dialect.ts'
import { encodeProposerEntry } from '../cosmos/transaction/proposerEntry.ts'
import { wrapTransaction } from '../cosmos/transaction/wrap.ts'
import { createEvm } from '../evm/evm.ts'
import { loadEvmModules } from '../evm/host/evmModules.ts'
import { precompilesAt } from '../evm/precompiles/precompileTable.ts'
import { copy } from '../state/rows/rows.ts'
import { StateStore } from '../state/stateStore.ts'
import { BlockStore } from '../store/blockStore.ts'
import { Application } from './application.ts'
import { soloEngineHash, toBlockInputs } from './blockInputs.ts'
import type { DecidedBlock } from './proposal/decidedBlock.ts'

const reward = new Uint8Array(20).fill(0xab)
const modules = await loadEvmModules()
const genesis = createDevGenesis({
  chainId: testChainId,
  accounts: [
    ...[0, 1].map((sender) => ({ address: addressOf(sender), balance: 10n ** 20n })),
    { address: testSender, balance: 2n ** 200n },
  ],
  coinbase: new Uint8Array(20),
  timestamp: 100n,
})

let folder: string
let environment: LmdbEnvironment
let app: Application

const openApplication = (of = environment): Application =>
  new Application(genesis.config, {
    environment: of,
    state: new StateStore(of),
    blocks: new BlockStore(of),
    evm: createEvm(modules, precompilesAt),
  })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-app-'))
  environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb') })
  app = openApplication()
  await app.initChain(genesis)
})

afterEach(async () => {
  await environment.close()
  rmSync(folder, { recursive: true })
})

const decided = (entries: readonly Uint8Array[], height = 1, time = 105n): DecidedBlock => ({
  height,
  time,
  engineHash: new Uint8Array(32).fill(0xcd),
  entries,
})

const propose = (candidates: readonly RecoveredTransaction[]): Uint8Array[] =>
  proposeEntries(app, candidates, { time: 105n, reward })

const responseOf = ({ data }: NativeResult) => {
  const [any] = fromBinary(TxMsgDataSchema, data).msgResponses
  return fromBinary(MsgEthereumTxResponseSchema, any?.value ?? new Uint8Array(0))
}

/** LOG1 with 32 bytes and topic 7, as init code; returns no code. */
const logs = fromHex('0x600760206000a160006000f3')
/** Init code that reverts with two bytes. */
const reverts = fromHex('0x61abcd6000526002601efd')

describe('a block that an engine decided', () => {
  it('has a result for each entry, in their order', () => {
    const creation = { to: undefined, value: 0n, gasLimit: 100_000n }
    const good = createCandidate(0, 0n)
    const entries = propose([
      good,
      createCandidate(1, 0n, { ...creation, data: logs }),
      createCandidate(0, 5n),
      createCandidate(1, 1n, { ...creation, data: reverts }),
      createCandidate(1, 2n, { ...creation, data: logs }),
    ])
    entries.splice(2, 0, Uint8Array.of(1, 2, 3))
    const { header, hash, results, events } = app.finalizeDecided(decided(entries))
    expect(results.map(({ code }) => code)).toEqual([
      codes.success, // the proposer
      codes.success,
      codes.malformed,
      codes.success,
      codes.wrongSequence,
      codes.failed,
      codes.success,
    ])
    expect(results.map(({ log }) => log)).toEqual([
      '',
      '',
      'tx parse error',
      '',
      'nonce too high',
      'execution reverted',
      '',
    ])
    expect(results.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)).toBe(header.gasUsed)
    expect(results[1]?.gasUsed).toBe(21_000n)
    expect(responseOf(results[1] as NativeResult)).toMatchObject({ hash: toHex(good.hash), blockHash: hash })
    expect(toHex(responseOf(results[5] as NativeResult).ret)).toBe('0xabcd')
    // Error texts and logs are in events, which the engine does not hash.
    for (const result of [results[5], results[6]])
      expect(responseOf(result as NativeResult)).toMatchObject({ vmError: '', logs: [] })
    const attributesOf = (at: number, name: string) =>
      (results[at]?.events ?? [])
        .flatMap(({ attributes }) => attributes)
        .filter(({ key }) => key === name)
        .map(({ value }) => Buffer.from(value).toString())
    expect(attributesOf(5, 'ethereumTxFailed')).toEqual(['execution reverted'])
    expect(attributesOf(6, 'txLog')).toHaveLength(1)
    const rlp = events.find(({ type }) => type === 'ethereum_header')?.attributes[0]?.value
    const headerRlp = new Uint8Array(Buffer.from(Buffer.from(rlp as Uint8Array).toString(), 'base64'))
    expect(keccak256(headerRlp)).toEqual(hash)
    expect(decodeHeader(headerRlp)).toEqual(header)
  })

  it('takes its header from the engine: proposer, time, hash', async () => {
    const { header } = app.finalizeDecided(decided(propose([createCandidate(0, 0n)])))
    expect(header).toMatchObject({ number: 1n, beneficiary: reward, timestamp: 105n, gasLimit: 60_000_000n })
    expect(header.mixHash).toEqual(new Uint8Array(32).fill(0xcd))
    await app.commit()
    // The engine's time may not advance within a second, and a header's never goes back.
    expect(app.finalizeDecided(decided(propose([]), 2, 105n)).header.timestamp).toBe(105n)
    expect(app.finalizeDecided(decided(propose([]), 2, 90n)).header.timestamp).toBe(105n)
    expect(() => app.finalizeDecided(decided([], 3))).toThrow('the next block is 2, not 3')
  })

  it('is the same on every node, whether it saw the proposal or not, and however often', () => {
    const entries = propose([createCandidate(0, 0n), createCandidate(1, 0n), createCandidate(1, 7n)])
    const fresh = app.finalizeDecided(decided(entries))
    expect(app.processProposal({ height: 1, time: 105n, entries }).accepted).toBe(true)
    const known = app.finalizeDecided(decided(entries))
    const other = openApplication().finalizeDecided(decided(entries))
    for (const { hash, results, events } of [known, other]) {
      expect(hash).toEqual(fresh.hash)
      expect(results).toEqual(fresh.results)
      expect(events).toEqual(fresh.events)
    }
  })

  it('has a result for every transaction that can be signed, and the block stays whole', () => {
    const seen = new Set<number>()
    fc.assert(
      fc.property(fc.array(firstTransactions(testChainId), { minLength: 1, maxLength: 8 }), (signed) => {
        const natives = signed.map((tx) => wrapTransaction({ ...tx, from: testSender }, perihelionDialect))
        const entries = [encodeProposerEntry({ height: 1n, reward }), ...natives]
        const { header, results, outcome } = app.finalizeDecided(decided(entries))
        for (const { code } of results) seen.add(code)
        expect(results).toHaveLength(entries.length)
        const included = results.slice(1).filter(({ code }) => code <= codes.failed)
        expect(included).toHaveLength(outcome.transactions.length)
        expect(included.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)).toBe(header.gasUsed)
      }),
      { numRuns: 60, seed: 11 },
    )
    // Among them some that were executed, and some for several reasons not.
    expect(seen.has(codes.success)).toBe(true)
    expect(seen.size).toBeGreaterThan(4)
  })

  it('is rejected as a proposal, and has results all the same, when an entry is bad', () => {
    const bad = wrapTransaction({ ...createCandidate(0, 0n), from: addressOf(1) }, perihelionDialect)
    const entries = [encodeProposerEntry({ height: 1n, reward }), bad]
    expect(app.processProposal({ height: 1, time: 105n, entries })).toMatchObject({ accepted: false })
    const { results, outcome } = app.finalizeDecided(decided(entries))
    expect(results.map(({ code }) => code)).toEqual([codes.success, codes.wrongSigner])
    expect(outcome.transactions).toEqual([])
  })
})

describe('empty blocks in one commit', () => {
  /** A hash of all rows of each table. */
  const hashesOf = (of: LmdbEnvironment): Record<string, string> => {
    of.refresh()
    const hashOf = (name: string): string => {
      const hash = createHash('sha256')
      // A value of a sorted table is the beginning of a larger buffer of LMDB.
      for (const { key, value } of of.table(name).getRange({}))
        hash.update(key).update(copy(value, 0, value.length))
      return hash.digest('hex')
    }
    return Object.fromEntries(of.stats().map(({ name }) => [name, hashOf(name)]))
  }

  it('are the same rows as those of one commit each', async () => {
    const times = Array.from({ length: 20 }, (_, index) => 105 + 3 * index)
    await app.commitEmptyBlocks(times, reward)
    const other = new LmdbEnvironment({ path: join(folder, 'other.mdb') })
    try {
      const oneByOne = openApplication(other)
      await oneByOne.initChain(genesis)
      for (const time of times) {
        const { header, hash } = oneByOne.head as NonNullable<Application['head']>
        const engineHash = soloEngineHash(hash, time)
        const decision = { time, beneficiary: reward, engineHash, gasLimit: header.gasLimit }
        oneByOne.executeBlock(toBlockInputs(header, hash, decision), [])
        await oneByOne.commit()
      }
      expect(app.head).toEqual(oneByOne.head)
      expect(hashesOf(environment)).toEqual(hashesOf(other))
    } finally {
      await other.close()
    }
  })
})
