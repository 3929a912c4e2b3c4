import { toHex } from '../../../src/base/encoding/hex.ts'
import { decodeHeader } from '../../../src/chain/block/header.ts'
import { parseAbciQuery } from '../../../src/comet/data/abciQuery.ts'
import { parseCommitReply } from '../../../src/comet/data/commit.ts'
import { NativeQueryError } from '../../../src/comet/data/nativeQuery.ts'
import { UpstreamError } from '../../../src/comet/data/upstreamError.ts'
import { decodeLargeMessage } from '../../../src/cosmos/protobuf.ts'
import { evmMethods } from '../../../src/cosmos/queries/moduleMethods.ts'
import { perihelionQueries } from '../../../src/cosmos/queries/perihelionQueries.ts'
import { decodeAnswer } from '../../../src/families/perihelion/perihelionQueries.ts'
import { perihelionStateRules } from '../../../src/families/perihelion/trieRules.ts'
import { trieProofs } from '../../../src/families/perihelion.ts'
import { createThreadLog } from '../../../src/gateway/follow/threadLog.ts'
import { cosmosStateRules } from '../../../src/light/state/cosmosState.ts'
import { ics23Proofs } from '../../../src/light/state/ics23Proofs.ts'
import { type ProvingNode, StateProofs } from '../../../src/light/state/stateProofs.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { honest } from './attacks.ts'
import type { FuzzOptions, FuzzTally } from './fuzz.ts'
import { attackOwnState, honestOwn, type OwnQuestion, ownAsked, ownQueries } from './ownStateAttacks.ts'
import {
  attackState,
  honestState,
  pathOf,
  type Question,
  requestOf,
  someAddress,
  type ToldState,
} from './stateAttacks.ts'

const length = 24
const firstProvable = 3

/** What an answer says, whatever way it is written. */
const meaningOf = (query: Question['query'], answer: Uint8Array): string => {
  const decoded = <T>(message: T | undefined): T => {
    if (message === undefined) throw new UpstreamError('the answer cannot be read')
    return message
  }
  const emptyHash = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
  switch (query) {
    case 'Balance':
      return String(BigInt(decoded(decodeLargeMessage(evmMethods.balance.response, answer)).balance))
    case 'Code':
      return toHex(decoded(decodeLargeMessage(evmMethods.code.response, answer)).code)
    case 'Storage': {
      const { value } = decoded(decodeLargeMessage(evmMethods.storage.response, answer))
      return value.replace(/^0x/, '').toLowerCase().padStart(64, '0')
    }
    default: {
      const { balance, nonce, codeHash } = decoded(decodeLargeMessage(evmMethods.account.response, answer))
      return `${BigInt(balance)} ${nonce} ${codeHash.toLowerCase() || emptyHash}`
    }
  }
}

const parseReply = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new UpstreamError('the reply is not JSON')
  }
}

const nodeThat = (chain: SyntheticChain, { prove }: ToldState): ProvingNode => ({
  name: 'liar',
  prove: async (store, key, height) => parseAbciQuery(parseReply(prove(store, key)), height),
  signedHeader: async (height) => parseCommitReply(parseReply(honest(chain, height).commit)),
})

const askedOf = (chain: SyntheticChain, question: Question) => ({
  path: pathOf(chain, question),
  request: requestOf(question),
  height: question.height,
})

const queries = ['Balance', 'Account', 'Code', 'Storage'] as const

/** A gateway that has seen true answers of each kind. */
const proofsOf = async (chain: SyntheticChain): Promise<StateProofs> => {
  const { evmPackage, denom: feeDenom } = chain.traits
  const proofs = new StateProofs({
    rules: cosmosStateRules({ evmPackage, feeDenom, decimals: 18 }),
    kind: ics23Proofs,
    highest: () => chain.head - 1,
    committed: (height) => {
      const next = chain.built(height + 1)
      return next && { appHash: next.header.appHash, hash: next.hash }
    },
    log: createThreadLog(() => undefined),
  })
  for (const query of queries)
    for (const { address } of chain.world.accounts(length - 1)) {
      const question = { query, address, height: length - 1 }
      const told = honestState(chain, question)
      await proofs.check(askedOf(chain, question), nodeThat(chain, told), Promise.resolve(told.answer))
    }
  return proofs
}

const someQuestion = (chain: SyntheticChain, random: Random): Question => {
  const height = firstProvable + random.below(chain.head - firstProvable)
  return { query: random.pick(queries), address: someAddress(chain, height, random), height }
}

/** A lie of a node, and what becomes of it. */
interface Told {
  /** What it is about, and how. */
  readonly name: string
  readonly prove: () => Promise<unknown>
  readonly isTrue: () => boolean
}

type Liar = (random: Random) => Told

const cosmosLiar = async (family: 'cosmos-evm-0.7' | 'ethermint', seed: number): Promise<Liar> => {
  const chain = new SyntheticChain({ family, length, seed, hasProofs: true })
  const proofs = await proofsOf(chain)
  return (random) => {
    const question = someQuestion(chain, random)
    const { query, height } = question
    const [name, told] = attackState(chain, question, random)
    return {
      name: `${name} made ${query} at ${height}`,
      prove: () =>
        proofs.check(askedOf(chain, question), nodeThat(chain, told), Promise.resolve(told.answer)),
      isTrue: () => meaningOf(query, told.answer) === meaningOf(query, honestState(chain, question).answer),
    }
  }
}

/** Says what an answer of our own chain says; an account that is not there has hashes of zeros or of nothing in a proof. */
const ownMeaning = (query: OwnQuestion['query'], answer: Uint8Array): string => {
  const [name] = ownQueryNames.filter((one) => one.toLowerCase() === query.toLowerCase())
  const decoded = decodeAnswer(perihelionQueries[name ?? 'account'].response, answer)
  if (decoded?.failure !== undefined || decoded === undefined)
    throw new UpstreamError('there is no answer that could be served')
  return JSON.stringify(decoded.value, (_, value) =>
    value instanceof Uint8Array ? toHex(value) : typeof value === 'bigint' ? String(value) : value,
  )
}

const ownQueryNames = ['account', 'code', 'storage', 'proof'] as const

const ownLiar = (seed: number): Liar => {
  const chain = new SyntheticChain({ family: 'perihelion', length, seed, hasProofs: true })
  const proofs = new StateProofs({
    rules: perihelionStateRules({ header: (height) => decodeHeader(chain.ownHeader(height)) }),
    kind: trieProofs,
    highest: () => chain.head - 1,
    committed: (height) => {
      const next = chain.built(height + 1)
      return next && { appHash: next.header.appHash, hash: next.hash }
    },
    log: createThreadLog(() => undefined),
  })
  return (random) => {
    const height = 1 + random.below(chain.head - 1)
    chain.built(height + 1)
    const address = someAddress(chain, height, random)
    const question = { query: random.pick(ownQueries), address, height }
    const [name, told] = attackOwnState(chain, question, random)
    return {
      name: `${name} made ${question.query} of our own at ${height}`,
      prove: () => proofs.check(ownAsked(question), nodeThat(chain, told), Promise.resolve(told.answer)),
      isTrue: () =>
        ownMeaning(question.query, told.answer) ===
        ownMeaning(question.query, honestOwn(chain, question).answer),
    }
  }
}

/** Lies about states and their proofs. What is believed has to be what the chain says. */
export const runStateFuzz = async ({
  cases,
  seed,
  isVerified = true,
  onProgress,
}: FuzzOptions): Promise<FuzzTally> => {
  const liars = [await cosmosLiar('cosmos-evm-0.7', 21), await cosmosLiar('ethermint', 22), ownLiar(23)]
  const tally: FuzzTally = { cases, refused: 0, harmless: 0, wrong: [], crashes: [] }
  for (let at = 0; at < cases; at++) {
    const random = createRandom(seed * 1_000_003 + at)
    try {
      const { name, prove, isTrue } = random.pick(liars)(random)
      if (isVerified) await prove()
      if (isTrue()) tally.harmless++
      else tally.wrong.push(`case ${at}: ${name} believed`)
    } catch (error) {
      if (error instanceof UpstreamError || error instanceof NativeQueryError) tally.refused++
      else tally.crashes.push(`case ${at}: ${(error as Error).stack}`)
    }
    if ((at + 1) % 10_000 === 0) onProgress?.(at + 1, tally)
  }
  return tally
}
