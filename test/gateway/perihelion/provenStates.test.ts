import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { concatBytes, emptyBytes } from '../../../src/base/encoding/bytes.ts'
import { fromHex } from '../../../src/base/encoding/hex.ts'
import { encodeRlp } from '../../../src/base/encoding/rlp.ts'
import type { Header } from '../../../src/chain/block/header.ts'
import { parseCommitReply } from '../../../src/comet/data/commit.ts'
import type { NativeQueryClient, ProvenValue } from '../../../src/comet/data/nativeQuery.ts'
import { AnswerSchema } from '../../../src/cosmos/gen/perihelion/v1/query_pb.ts'
import { perihelionQueries } from '../../../src/cosmos/queries/perihelionQueries.ts'
import { decodeAnswer } from '../../../src/families/perihelion/perihelionQueries.ts'
import { perihelionStateRules } from '../../../src/families/perihelion/trieRules.ts'
import { trieProofs } from '../../../src/families/perihelion.ts'
import { createThreadLog } from '../../../src/gateway/follow/threadLog.ts'
import { ProofError } from '../../../src/light/state/proofFields.ts'
import { type ProvingNode, StateProofs } from '../../../src/light/state/stateProofs.ts'
import { storeKeys } from '../../../src/light/state/storeKeys.ts'
import { decodeTrieNodes } from '../../../src/light/state/trieProof.ts'
import { verifyTrieValue } from '../../../src/light/state/trieValue.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { handlerOf, inProcessQueries } from './inProcess.ts'
import { type SoloChain, startSoloChain } from './soloChain.ts'

/** Proofs as the store of a chain of our own gives them. */

const never = new AbortController().signal
const nobody = new Uint8Array(20).fill(0x77)
const noSlot = new Uint8Array(32).fill(0x99)

let solo: SoloChain
let queries: NativeQueryClient
let head: number
let contract: Uint8Array
let sender: Uint8Array
let slot: Uint8Array

beforeAll(async () => {
  solo = await startSoloChain(12)
  queries = inProcessQueries(handlerOf(solo.node.chain))
  head = solo.node.chain.head().number
  contract = fromHex(solo.traffic.contract)
  sender = fromHex(solo.traffic.addresses[0] as string)
  const state = await solo.node.chain.state({ kind: 'number', number: BigInt(head) })
  const [stored] = (await state.slots(contract, new Uint8Array(32), 1)).slots
  slot = stored?.slot ?? noSlot
})
afterAll(() => solo.close())

const headerOf = (height: number): Header => solo.node.chain.blocks.header(height) as Header
const hashOf = (height: number): Uint8Array => solo.node.chain.blocks.hash(height) as Uint8Array

interface Asked {
  readonly store: string
  readonly key: Uint8Array
}

const questions = (): readonly Asked[] => [
  { store: 'acc', key: storeKeys.account(sender) },
  { store: 'acc', key: storeKeys.account(contract) },
  { store: 'acc', key: storeKeys.account(nobody) },
  { store: 'evm', key: storeKeys.slot(contract, slot) },
  { store: 'evm', key: storeKeys.slot(contract, noSlot) },
  { store: 'evm', key: storeKeys.slot(sender, slot) },
  { store: 'evm', key: storeKeys.slot(nobody, slot) },
]

const proofOf = ({ store, key }: Asked, height = head): Promise<ProvenValue> =>
  queries.prove(store, key, height, never)

const accepts = (given: ProvenValue, { store, key }: Asked, height = head): void =>
  verifyTrieValue(given, store, key, hashOf(height))
const refuses = (given: ProvenValue, asked: Asked, height = head): void =>
  expect(() => accepts(given, asked, height)).toThrow(ProofError)

const withData = (given: ProvenValue, at: number, data: Uint8Array): ProvenValue => ({
  ...given,
  operations: given.operations.map((operation, index) => (index === at ? { ...operation, data } : operation)),
})

describe('a proof of a chain of our own', () => {
  test('leads from a value, or its absence, to the hash of the header', async () => {
    const lengths: number[] = []
    for (const asked of questions()) {
      const given = await proofOf(asked)
      accepts(given, asked)
      lengths.push(given.value.length)
      expect(given.operations).toHaveLength(asked.store === 'evm' ? 3 : 2)
    }
    expect(lengths.map((length) => length > 0)).toEqual([true, true, false, true, false, false, false])
    for (const asked of questions()) accepts(await proofOf(asked, 1), asked, 1)
  })

  test('is refused with any byte changed', async () => {
    // What is there and what is not, of accounts and of slots.
    for (const asked of questions().filter((_, at) => at !== 0 && at < 5)) {
      const given = await proofOf(asked)
      for (const [at, { data, key }] of given.operations.entries()) {
        for (let index = 0; index < data.length; index++) {
          const changed = Uint8Array.from(data)
          changed[index] = (changed[index] as number) ^ (1 + (index % 255))
          refuses(withData(given, at, changed), asked)
        }
        const otherKey = Uint8Array.from(key)
        otherKey[0] = (otherKey[0] as number) ^ 1
        const operations = given.operations.map((one, index) =>
          index === at ? { ...one, key: otherKey } : one,
        )
        refuses({ ...given, operations }, asked)
      }
      refuses({ ...given, value: Uint8Array.of(...given.value, 0) }, asked)
      refuses({ ...given, value: given.value.length === 0 ? Uint8Array.of(1) : emptyBytes }, asked)
      if (given.value.length > 0) refuses({ ...given, value: given.value.with(-1, 0xab) }, asked)
    }
  })

  test('is refused with parts or nodes left out, doubled or exchanged', async () => {
    for (const asked of questions()) {
      const given = await proofOf(asked)
      const { operations } = given
      for (const [at, operation] of operations.entries()) {
        refuses({ ...given, operations: operations.toSpliced(at, 1) }, asked)
        refuses({ ...given, operations: operations.toSpliced(at, 0, operation) }, asked)
        refuses({ ...given, operations: operations.with(at, { ...operation, type: 'ics23:iavl' }) }, asked)
        if (operation.type !== 'perihelion:mpt') continue
        const nodes = decodeTrieNodes(operation.data)
        for (const [index, node] of nodes.entries()) {
          refuses(withData(given, at, encodeRlp(nodes.toSpliced(index, 1))), asked)
          refuses(withData(given, at, encodeRlp(nodes.toSpliced(index, 0, node))), asked)
        }
      }
      refuses({ ...given, operations: operations.toReversed() }, asked)
    }
  })

  test('of another account, slot or height is refused', async () => {
    const all = questions()
    for (const asked of all)
      for (const other of all) {
        const given = await proofOf(other)
        if (other !== asked) refuses(given, asked)
        refuses(given, other, head - 1)
        refuses(await proofOf(other, head - 1), other)
        // The right keys over the proofs of others.
        const own = await proofOf(asked)
        if (other === asked || given.operations.length !== own.operations.length) continue
        const operations = given.operations.map((one, at) => ({
          ...one,
          key: own.operations[at]?.key as Uint8Array,
        }))
        const claimed = { ...given, operations }
        if (Buffer.compare(claimed.value, own.value) === 0) continue
        refuses(claimed, asked)
      }
  })
})

const path = (name: keyof typeof perihelionQueries): string => perihelionQueries[name].path

/** The header of a block, with its signatures, as a node tells it: of any chain. */
const signed = parseCommitReply(
  JSON.parse(new SyntheticChain({ family: 'perihelion', length: 2 }).commit(2) ?? ''),
)

const nodeThat = (alter: (given: ProvenValue) => ProvenValue = (given) => given): ProvingNode => ({
  name: 'node',
  prove: async (store, key, height) => alter(await queries.prove(store, key, height, never)),
  signedHeader: async () => ({ ...signed, header: { ...signed.header, appHash: hashOf(head - 1) } }),
})

const proofsHere = () =>
  new StateProofs({
    rules: perihelionStateRules({ header: headerOf }),
    kind: trieProofs,
    highest: () => head - 1,
    committed: (height) => ({ appHash: hashOf(height), hash: undefined }),
    log: createThreadLog(() => undefined),
  })

type Name = 'account' | 'code' | 'storage' | 'proof'

const encode = (name: Name, request: object): Uint8Array => {
  const { request: schema } = perihelionQueries[name]
  return toBinary(schema, create(schema, request as MessageInitShape<typeof schema>))
}

const ask = async (
  name: Name,
  request: object,
  alter: (told: Record<string, unknown>) => object = (told) => told,
  node = nodeThat(),
) => {
  const height = head - 1
  const bytes = encode(name, { place: { block: BigInt(height) }, ...request })
  const { response: schema } = perihelionQueries[name]
  const answer = decodeAnswer(schema, await queries.query(path(name), bytes, height, never))
  if (answer === undefined || answer.failure) throw new Error('the node has no answer')
  const { $typeName: _, ...value } = answer.value
  const told = create(schema, alter(value) as MessageInitShape<typeof schema>)
  const response = toBinary(
    AnswerSchema,
    create(AnswerSchema, { outcome: { case: 'value', value: toBinary(schema, told) } }),
  )
  const proofs = proofsHere()
  const outcome = await proofs.check(
    { path: path(name), request: bytes, height },
    node,
    Promise.resolve(response),
  )
  return { outcome, counts: proofs.counts() }
}

const lie = { kind: 'forged state' }

describe('answers of a node of our own', () => {
  test('are proven, of what is there and of what is not', async () => {
    for (const address of [sender, contract, nobody]) {
      expect((await ask('account', { address })).outcome).toBe('proven')
      expect((await ask('code', { address })).outcome).toBe('proven')
      for (const one of [slot, noSlot])
        expect((await ask('storage', { address, slot: one })).outcome).toBe('proven')
      expect((await ask('proof', { address, slots: [slot, noSlot] })).outcome).toBe('proven')
      expect((await ask('proof', { address, slots: [] })).outcome).toBe('proven')
    }
  })

  const accountLies: readonly [string, object | undefined][] = [
    ['another balance', { balance: Uint8Array.of(5) }],
    ['a balance of 33 bytes', { balance: new Uint8Array(33) }],
    ['another nonce', { nonce: 99n }],
    ['another hash of the code', { codeHash: new Uint8Array(32).fill(9) }],
    ['another storage root', { storageRoot: new Uint8Array(32).fill(9) }],
    ['no hash of the code', { codeHash: emptyBytes }],
    ['nothing', undefined],
  ]
  const altered = (change: object | undefined) => (told: Record<string, unknown>) => ({
    ...told,
    account: change && { ...(told.account as object), ...change },
  })

  test.each(accountLies)('an account with %s is a lie, told as such or with its proof', async (_, change) => {
    for (const address of [sender, contract, nobody]) {
      // That there is nobody is what is told of nobody.
      if (change !== undefined || address !== nobody)
        await expect(ask('account', { address }, altered(change))).rejects.toMatchObject(lie)
      await expect(ask('proof', { address, slots: [slot] }, altered(change))).rejects.toMatchObject(lie)
    }
  })

  test('other code, another slot and other proofs are lies', async () => {
    for (const address of [sender, contract, nobody]) {
      const code = () => ({ code: Uint8Array.of(1, 2, 3) })
      await expect(ask('code', { address }, code)).rejects.toMatchObject(lie)
      for (const value of [new Uint8Array(32).fill(5), Uint8Array.of(5), emptyBytes])
        await expect(ask('storage', { address, slot }, () => ({ value }))).rejects.toMatchObject(lie)
      const slots = [slot, noSlot]
      const proofLies: readonly ((told: Record<string, unknown>) => object)[] = [
        (told) => ({ ...told, nodes: [] }),
        (told) => ({ ...told, nodes: (told.nodes as Uint8Array[]).toReversed() }),
        (told) => ({ ...told, nodes: [...(told.nodes as Uint8Array[]), emptyBytes] }),
        (told) => ({ ...told, slots: [] }),
        (told) => ({ ...told, slots: [...(told.slots as object[]), ...(told.slots as object[])] }),
        (told) => ({
          ...told,
          slots: (told.slots as object[]).map((one) => ({ ...one, value: Uint8Array.of(9) })),
        }),
        (told) => ({
          ...told,
          slots: (told.slots as object[]).map((one) => ({ ...one, nodes: [Uint8Array.of(0x80)] })),
        }),
      ]
      for (const alter of proofLies)
        await expect(ask('proof', { address, slots }, alter)).rejects.toMatchObject(lie)
    }
  })

  test('a lie has its proof as evidence, with the signed header if the proof is wrong', async () => {
    const wrong = await ask('account', { address: sender }, altered({ nonce: 99n })).catch((error) => error)
    expect(JSON.stringify(wrong.evidence)).toContain('perihelion:mpt')
    const nodes = (told: Record<string, unknown>) => ({ ...told, nodes: [emptyBytes] })
    await expect(ask('proof', { address: sender }, nodes)).rejects.toThrow('it leads to another root')
  })

  test('an answer without a proof is not served, from the first one on', async () => {
    const silent = nodeThat((given) => ({ ...given, operations: [] }))
    for (const name of ['account', 'code', 'storage'] as const)
      await expect(ask(name, { address: sender, slot }, undefined, silent)).rejects.toMatchObject({
        kind: 'unavailable',
      })
  })

  test('a wrong proof is a lie from the first one on', async () => {
    const liar = nodeThat((given) => ({ ...given, value: concatBytes(given.value, Uint8Array.of(1)) }))
    await expect(ask('account', { address: sender }, undefined, liar)).rejects.toMatchObject(lie)
  })

  test('of block 0, within a block and of the newest are believed', async () => {
    const proofs = proofsHere()
    const outcomeAt = (place: object, height: number) =>
      proofs.check(
        { path: path('account'), request: encode('account', { place, address: sender }), height },
        nodeThat(),
        Promise.resolve(emptyBytes),
      )
    expect(await outcomeAt({ block: 0n }, 1)).toBeUndefined()
    expect(await outcomeAt({ block: 5n, before: 0 }, 4)).toBeUndefined()
    expect(await outcomeAt({ block: BigInt(head) }, head)).toBe('newest')
  })

  test('that tell why there is none are asked of another node, and what cannot be read is a lie', async () => {
    const failure = toBinary(
      AnswerSchema,
      create(AnswerSchema, { outcome: { case: 'failure', value: { kind: 'refused', message: 'no' } } }),
    )
    const proofs = proofsHere()
    const asked = {
      path: path('account'),
      request: encode('account', { place: { block: BigInt(head - 1) }, address: sender }),
      height: head - 1,
    }
    await expect(proofs.check(asked, nodeThat(), Promise.resolve(failure))).rejects.toMatchObject({
      kind: 'unavailable',
    })
    expect(proofs.counts().size).toBe(0)
    const junk = Promise.resolve(Uint8Array.of(0xff))
    await expect(proofs.check(asked, nodeThat(), junk)).rejects.toMatchObject(lie)
  })
})
