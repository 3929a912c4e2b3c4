import { create, toBinary } from '@bufbuild/protobuf'
import { calculateExistenceRoot, iavlSpec, ics23, tendermintSpec, verifyMembership } from '@confio/ics23'
import { describe, expect, test } from 'vitest'
import { closeAfterEach, connect, serve } from '../../../test/gateway/replay/openUpstreams.ts'
import { RecordedQueries, recordedProofs } from '../../../test/gateway/serve/recordedQueries.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { concatBytes } from '../../base/encoding/bytes.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { pruned, refused } from '../../chain/chainError.ts'
import { type NativeQueryClient, NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { evmMethods } from '../../cosmos/queries/moduleMethods.ts'
import { CachedQueryClient } from '../../gateway/upstreams/cachedQueryClient.ts'
import { ModuleQueryClient } from '../queries/moduleQueryClient.ts'
import { CosmosStateView } from './cosmosStateView.ts'

closeAfterEach()

const chainInfo = {
  evmPackage: 'cosmos.evm.vm.v1',
  feemarketPackage: 'cosmos.evm.feemarket.v1',
  earliestState: 1,
}
const contract = fromHex('0x07aa076883658b7ed99d25b1e6685808372c8fe2')
const sender = fromHex('0xc6fe5d33615a1c52c08018c47e8bc53646a0e101')
const nobody = fromHex(`0x${'77'.repeat(20)}`)
const firstSlot = new Uint8Array(32)

const stateOf = (queries: NativeQueryClient, height = 144): CosmosStateView =>
  new CosmosStateView(new ModuleQueryClient(queries, chainInfo), height, 1000)

describe('the state at a height', () => {
  test('is what the chain answers for that height', async () => {
    const queries = new RecordedQueries()
    const state = stateOf(queries)
    expect(await state.balance(sender)).toBe(999_998_518_993_814_310_650n)
    expect(await state.nonce(sender)).toBe(6n)
    expect((await state.code(contract)).length).toBeGreaterThan(100)
    expect(toHex(await state.storage(contract, firstSlot))).toBe(`0x${'7'.padStart(64, '0')}`)
    expect(await state.account(contract)).toMatchObject({ nonce: 2n, balance: 5n })
    expect(await state.account(nobody)).toBeUndefined()
    expect(new Set(queries.asked.map(({ height }) => height))).toEqual(new Set([144]))
  })

  test('is proven by ICS-23 against the next header', async () => {
    const { accountProof, storageProof, proofType, nonce } = await stateOf(new RecordedQueries()).prove(
      contract,
      [firstSlot],
    )
    const recorded = recordedProofs()
    expect(proofType).toBe('ics23')
    expect(nonce).toBe(2n)
    expect(accountProof.map(toHex)).toEqual(recorded.eth_getProof.accountProof)
    expect(storageProof[0]?.proof.map(toHex)).toEqual(recorded.eth_getProof.storageProof[0]?.proof)
    expect(storageProof[0]?.value).toBe(7n)
    const appHash = Buffer.from(recorded.app_hash_145, 'hex')
    const word = Buffer.alloc(32)
    word[31] = 7
    const slotKey = concatBytes(Uint8Array.of(2), contract, firstSlot)
    expect(leadsTo(appHash, 'evm', slotKey, word, storageProof[0]?.proof ?? [])).toBe(true)
    const accountKey = concatBytes(Uint8Array.of(1), contract)
    const account = Buffer.from(recorded.account.response.value, 'base64')
    expect(leadsTo(appHash, 'acc', accountKey, account, accountProof)).toBe(true)
    // This shows that the check can fail.
    word[31] = 8
    expect(leadsTo(appHash, 'evm', slotKey, word, storageProof[0]?.proof ?? [])).toBe(false)
  })
})

/** Returns whether a proof leads from a value under a key of a store to the application hash. */
const leadsTo = (
  appHash: Uint8Array,
  store: string,
  key: Uint8Array,
  value: Uint8Array,
  proofs: readonly Uint8Array[],
): boolean => {
  const [inner, outer] = proofs.map((proof) => ics23.CommitmentProof.decode(proof))
  if (!inner?.exist || !outer) return false
  const root = calculateExistenceRoot(inner.exist as ics23.ExistenceProof)
  return (
    verifyMembership(inner, iavlSpec, root, key, value) &&
    verifyMembership(outer, tendermintSpec, appHash, Buffer.from(store), root)
  )
}

describe('what a chain cannot answer', () => {
  const failing = (error: NativeQueryError): NativeQueryClient => ({
    query: () => Promise.reject(error),
    prove: () => Promise.reject(error),
  })

  test('a state that is gone names the earliest that is there', async () => {
    const state = stateOf(failing(new NativeQueryError('pruned', 'version mismatch')), 5)
    await expect(state.balance(sender)).rejects.toEqual(
      pruned('the state of block 5 is not kept: 1 is the earliest'),
    )
  })

  test('nodes that do not answer in time are reported as such, and charged with it', async () => {
    const replay = await serve({ faults: { hangs: ['abci_query'] } })
    const { upstreams } = await connect([{ node: replay.url }], { callTimeoutMs: 200 })
    const state = new CosmosStateView(new ModuleQueryClient(upstreams, chainInfo), 5, 200)
    const addresses = [1, 2, 3, 4, 5].map((last) => Uint8Array.of(...nobody.slice(1), last))
    await Promise.all(
      addresses.map((address) =>
        expect(state.balance(address)).rejects.toThrow(/no response within \d+ ms$/),
      ),
    )
    expect(upstreams.stats().upstreams[0]?.failures).toBe(5)
  })

  test('an account that a node writes wrongly is not an error of this program', async () => {
    for (const written of [{ codeHash: 'none' }, { codeHash: '0xab' }, { balance: 'much' }]) {
      const { response } = evmMethods.account
      const bytes = toBinary(response, create(response, written))
      const queries: NativeQueryClient = {
        query: async () => bytes,
        prove: () => Promise.reject(new Error('not asked')),
      }
      await expect(stateOf(queries).account(sender)).rejects.toMatchObject({ kind: 'unavailable' })
    }
  })

  test('words of transports are not passed on', async () => {
    const error = new NativeQueryError('refused', 'rpc error: code = Internal desc = invalid address')
    await expect(stateOf(failing(error)).nonce(sender)).rejects.toEqual(refused('invalid address'))
  })

  test('ranges are not supported, proofs of the first blocks are rejected', async () => {
    const state = stateOf(failing(new NativeQueryError('unavailable', 'nobody is there')), 2)
    expect(() => state.accounts()).toThrow(/lists them/)
    await expect(state.prove(contract, [])).rejects.toThrow('proof queries at height <= 2 are not supported')
  })
})

describe('malformed values', () => {
  const text = (field: number, value: string): Uint8Array =>
    concatBytes(Uint8Array.of((field << 3) | 2, value.length), Buffer.from(value))
  const garbled: Readonly<Record<string, Uint8Array>> = {
    '/cosmos.evm.vm.v1.Query/Balance': text(1, 'much'),
    '/cosmos.evm.vm.v1.Query/Account': text(1, '12.5'),
    '/cosmos.evm.vm.v1.Query/Storage': text(1, '0xnothing'),
  }
  const garble = (method: string, result: unknown, { path }: Readonly<Record<string, unknown>>): unknown => {
    const value = garbled[String(path)]
    if (method !== 'abci_query' || value === undefined) return result
    const { response } = result as { response: object }
    return { response: { ...response, code: 0, value: Buffer.from(value).toString('base64') } }
  }
  const readers: readonly (readonly [string, (state: CosmosStateView) => Promise<unknown>])[] = [
    ['balance', (state) => state.balance(nobody)],
    ['account', (state) => state.account(nobody)],
    ['slot', (state) => state.storage(nobody, firstSlot)],
  ]

  test.each(readers)('of a %s are not cached, and another node is asked', async (_, read) => {
    const [garbling, healthy] = [await serve({ faults: { alter: garble } }), await serve()]
    const { upstreams } = await connect([{ node: garbling.url }, { node: healthy.url }])
    const cache = { bytes: 10_000, maxResponseBytes: 1_000, isFinal: () => true }
    const state = stateOf(new CachedQueryClient(cache, upstreams), 5)
    await healthy.setFaults({ down: true })
    await expect(read(state)).rejects.toMatchObject({ kind: 'unavailable' })
    await healthy.setFaults({})
    await eventually(() =>
      read(state).then(
        () => true,
        () => false,
      ),
    )
    expect(upstreams.stats().upstreams.map(({ state: now }) => now)).toEqual(['ready', 'ready'])
  })
})
