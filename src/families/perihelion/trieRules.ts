import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes, toBigInt } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { newLongSlice, runInSlices } from '../../base/threads/timeSlice.ts'
import { encodeHeader, type Header } from '../../chain/block/header.ts'
import type { ChainErrorKind } from '../../chain/chainError.ts'
import type { CallWitness } from '../../chain/port/executor.ts'
import type {
  Account,
  Failure,
  Place,
  ProofRequest,
  ProofResponse,
} from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import { decodeMessage } from '../../cosmos/protobuf.ts'
import { CodecError, decodeJson } from '../../cosmos/queries/codec.ts'
import { type PerihelionQuery, perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import { callWitness } from '../../cosmos/queries/requestCodecs.ts'
import {
  type AskedState,
  differs,
  type Judge,
  type StateRules,
  type StoreReader,
  same,
  unreadable,
  type Verdict,
} from '../../light/state/judgement.ts'
import { ProofError } from '../../light/state/proofFields.ts'
import type { ProvingBlocks } from '../../light/state/proofKind.ts'
import { storeKeys } from '../../light/state/storeKeys.ts'
import { accountOf, readAccountLeaf, readSlot } from '../../light/state/trieValue.ts'
import { findWitnessFault } from '../../light/state/witnessCheck.ts'
import { decodeAnswer } from './perihelionQueries.ts'

/** What queries of a Perihelion node must answer, by the tries of its state. */

const zeroWord = new Uint8Array(32)

const word = (bytes: Uint8Array): bigint | undefined => (bytes.length > 32 ? undefined : toBigInt(bytes))

/**
 * Returns what is wrong about an account that a node told; undefined if nothing is. In a proof, one that is not there has hashes
 * of zeros, or those of nothing, as older nodes tell it.
 */
const findDifference = (told: Account, leaf: Uint8Array): string | undefined => {
  const proven = accountOf(leaf)
  const isHash = (hash: Uint8Array, expected: Uint8Array): boolean =>
    equalBytes(hash, expected) || (leaf.length === 0 && equalBytes(hash, zeroWord))
  const balance = word(told.balance)
  if (balance !== proven.balance) return `its balance is ${proven.balance}, not ${balance ?? 'a number'}`
  if (told.nonce !== proven.nonce) return `its nonce is ${proven.nonce}, not ${told.nonce}`
  if (!isHash(told.codeHash, proven.codeHash))
    return `the hash of its code is ${toHex(proven.codeHash)}, not what the node said`
  if (!isHash(told.storageRoot, proven.storageRoot))
    return `its storage root is ${toHex(proven.storageRoot)}, not what the node said`
  return undefined
}

const judgeAccount = (told: Account | undefined, leaf: Uint8Array): Verdict => {
  if (leaf.length === 0) return told === undefined ? same(true) : differs('there is no such account')
  const difference = told === undefined ? 'there is such an account' : findDifference(told, leaf)
  return difference === undefined ? same(true) : differs(difference)
}

/** Judges a response that has its own proofs: nodes of the tries, from the state root of the header on. */
const judgeProof = (
  { address, slots }: ProofRequest,
  { account: told, nodes, slots: toldSlots }: ProofResponse,
  header: Header,
): Verdict => {
  const shown = (more: object = {}): object => ({
    address: toHex(address),
    nodes: nodes.map(toHex),
    header: toHex(encodeHeader(header)),
    ...more,
  })
  let proof = shown()
  try {
    const leaf = readAccountLeaf(header.stateRoot, address, nodes)
    const { storageRoot } = accountOf(leaf)
    const difference = told === undefined ? 'the account is missing' : findDifference(told, leaf)
    if (difference !== undefined) return differs(difference, proof)
    if (toldSlots.length !== slots.length) return differs('it has other slots than the requested ones', proof)
    for (const [at, slot] of slots.entries()) {
      const { value, nodes: slotNodes } = toldSlots[at] as (typeof toldSlots)[number] // there is one for each
      proof = shown({ slot: toHex(slot), slotNodes: slotNodes.map(toHex) })
      const proven = toBigInt(readSlot(storageRoot, slot, slotNodes))
      if (word(value) !== proven) return differs(`a slot is ${proven}, not what the node said`, proof)
    }
    return same(true)
  } catch (error) {
    if (!(error instanceof ProofError)) throw error
    return { is: 'disproven', problem: `a proof of nodes of a trie: ${error.message}`, proof }
  }
}

const never = (): boolean => false

/** Judges the nodes and codes that a call reads, as a node tells them, by the state root of the header. */
const judgeWitness = async (question: Uint8Array, answer: Uint8Array, header: Header): Promise<Verdict> => {
  const witness = decodeWitness(answer)
  if (witness === undefined) return unreadable
  const fault = await runInSlices(findWitnessFault(header.stateRoot, witness), newLongSlice(), never)
  if (fault === undefined) return same(true)
  const proof = { question: toHex(question), item: toHex(fault.item), header: toHex(encodeHeader(header)) }
  return { is: 'disproven', problem: `a witness of a call: ${fault.problem}`, proof }
}

const decodeWitness = (answer: Uint8Array): CallWitness | undefined => {
  try {
    return decodeJson(callWitness, answer, 'answer')
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}

/** Returns whether a query is about the state after the block of its height, and not within a block, or that of block 0. */
const isAfterBlock = (place: Place | undefined, height: number): boolean =>
  place?.before === undefined && (place?.block ?? BigInt(height)) === BigInt(height)

/** What answers about the state after one block are proven by. */
interface Access {
  readonly read: StoreReader
  readonly header: () => Header | undefined
}

type Ask = (asked: AskedState, access: Access) => (() => Promise<Judge>) | undefined

const judgedBy = <Request extends DescMessage, Response extends DescMessage>(
  { path, request: requestSchema, response: responseSchema }: PerihelionQuery<Request, Response>,
  begin: (
    asked: MessageShape<Request>,
    access: Access,
  ) => Promise<(told: MessageShape<Response>) => MaybePromise<Verdict>>,
  withoutAnswer: (failure: Failure) => Verdict = () => ({ is: 'unanswered' }),
): readonly [path: string, Ask] => [
  path,
  ({ request, height }, access) => {
    const asked = decodeMessage(requestSchema, request)
    const { place } = (asked ?? {}) as { readonly place?: Place } // every query about a state has it
    if (asked === undefined || !isAfterBlock(place, height)) return undefined
    return async () => {
      const judge = await begin(asked, access)
      return async (response) => {
        const answer = decodeAnswer(responseSchema, response)
        if (answer === undefined) return unreadable
        return answer.failure === undefined ? judge(answer.value) : withoutAnswer(answer.failure)
      }
    }
  },
]

/** Why an honest node gives no witness of a call: its size, or the version of the node. */
export const noWitness: ReadonlySet<string> = new Set<ChainErrorKind>(['limit exceeded', 'unsupported'])

const asks: ReadonlyMap<string, Ask> = new Map([
  judgedBy(perihelionQueries.account, async ({ address }, { read }) => {
    const leaf = await read('acc', storeKeys.account(address))
    return ({ account }) => judgeAccount(account, leaf)
  }),

  judgedBy(perihelionQueries.code, async ({ address }, { read }) => {
    const { codeHash } = accountOf(await read('acc', storeKeys.account(address)))
    return ({ code }) => {
      const told = keccak256(code)
      return equalBytes(told, codeHash)
        ? same(true)
        : differs(`the hash of its code is ${toHex(codeHash)}, not ${toHex(told)}`)
    }
  }),

  judgedBy(perihelionQueries.storage, async ({ address, slot }, { read }) => {
    const stored = await read('evm', storeKeys.slot(address, slot))
    const proven = stored.length === 0 ? zeroWord : stored
    return ({ value }) =>
      equalBytes(value, proven) ? same(true) : differs(`the slot is ${toHex(proven)}, not what the node said`)
  }),

  judgedBy(perihelionQueries.proof, async (asked, { header }) => (told) => {
    const stored = header()
    return stored === undefined ? { is: 'unjudged' } : judgeProof(asked, told, stored)
  }),

  judgedBy(
    perihelionQueries.callWitness,
    async ({ question }, { header }) =>
      async ({ answer }) => {
        const stored = header()
        return stored === undefined ? { is: 'unjudged' } : judgeWitness(question, answer, stored)
      },
    // A call that reads more than a witness may have is rejected by an honest node too; for anything else another one is asked.
    ({ kind }) => ({ is: noWitness.has(kind) ? 'unjudged' : 'unanswered' }),
  ),
])

/** Returns how answers of a Perihelion chain are proven. */
export const perihelionStateRules =
  (blocks: Pick<ProvingBlocks, 'header'>): StateRules =>
  (asked, read) => {
    const { path, height } = asked
    const begin = asks.get(path)?.(asked, { read, header: () => blocks.header(height) })
    return begin && { name: path, begin }
  }
