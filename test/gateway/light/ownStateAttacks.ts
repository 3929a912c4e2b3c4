import { RLP } from '@ethereumjs/rlp'
import { toBigInt } from '../../../src/base/encoding/bytes.ts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import type { Random } from '../../support/random.ts'
import { mutateReply, pathsOf } from '../mutations/mutate.ts'
import { encodeHeader } from '../replay/block/ethereumHeader.ts'
import { compact, keccak } from '../replay/block/signing.ts'
import { type Trie, trieOf } from '../replay/block/trie.ts'
import { leafOf, noAccount, trieOpsJson } from '../replay/stores/worldTries.ts'
import type { SyntheticChain } from '../replay/synthetic.ts'
import { blob, join, nested, uint } from '../replay/wire.ts'
import { reply, someAddress, type ToldState, wrongValue } from './stateAttacks.ts'

/** Lies of a node of our own chain: about answers, and about the nodes of tries. */

export const ownQueries = ['Account', 'Code', 'Storage', 'Proof'] as const

export interface OwnQuestion {
  readonly query: (typeof ownQueries)[number]
  readonly address: Uint8Array
  readonly height: number
}

const slot = new Uint8Array(32)

export const ownAsked = ({ query, address, height }: OwnQuestion) => ({
  path: `/perihelion.v1.Query/${query}`,
  request: join(
    nested(1, uint(1, height)),
    blob(2, address),
    ...(query === 'Storage' || query === 'Proof' ? [nested(3, slot)] : []),
  ),
  height,
})

const honestReply = (chain: SyntheticChain, store: string, key: Uint8Array, height: number): string => {
  const { value, proof = '' } = chain.prove(`/store/${store}/key`, key, height)
  return reply(value, proof, height)
}

export const honestOwn = (chain: SyntheticChain, question: OwnQuestion): ToldState => {
  const { path, request, height } = ownAsked(question)
  return {
    answer: chain.query(path, request, height).value,
    prove: (store, key) => honestReply(chain, store, key, height),
  }
}

const accountMessage = (account: typeof noAccount): Uint8Array =>
  nested(
    1,
    join(
      uint(1, account.nonce),
      blob(2, compact(account.balance)),
      blob(3, account.codeHash),
      blob(4, account.storageRoot),
    ),
  )

/** What a state would be in which the account and its slot are others. */
const forge = (chain: SyntheticChain, { address, height }: OwnQuestion, random: Random) => {
  const tries = chain.triesAt(height)
  const known = tries.account(address) ?? { ...noAccount, codeHash: keccak(new Uint8Array(0)) }
  const value = random.bytes(32).with(0, 1)
  const storage = trieOf([{ key: slot, value: RLP.encode(compact(toBigInt(value))) }])
  const code = random.bytes(5)
  const account = {
    nonce: known.nonce + BigInt(random.below(2)),
    balance: known.balance + 1n,
    codeHash: random.chance(0.5) ? known.codeHash : keccak(code),
    storageRoot: storage.root,
  }
  const others = chain.world
    .accounts(height)
    .filter((one) => toHex(one.address) !== toHex(address))
    .map((one) => ({ key: one.address, value: leafOf(tries.account(one.address) ?? noAccount) }))
  return {
    account,
    storage,
    value,
    code,
    state: trieOf([...others, { key: address, value: leafOf(account) }]),
  }
}

const forgedAnswer = (
  { query, address }: OwnQuestion,
  { account, storage, value, code, state }: ReturnType<typeof forge>,
): Uint8Array => {
  const nodesOf = (trie: Trie, key: Uint8Array) => trie.prove(key).map((node) => blob(2, node))
  switch (query) {
    case 'Account':
      return nested(1, accountMessage(account))
    case 'Code':
      return nested(1, blob(1, code))
    case 'Storage':
      return nested(1, blob(1, value))
    default: {
      const slots = nested(3, join(blob(1, value), ...nodesOf(storage, slot)))
      return nested(1, join(accountMessage(account), ...nodesOf(state, address), slots))
    }
  }
}

/** The nodes of a proof in another order, with some left out or doubled. */
const shuffled = (nodes: readonly Uint8Array[], random: Random): readonly Uint8Array[] => {
  const at = random.below(Math.max(1, nodes.length))
  const node = nodes[at] ?? Uint8Array.of(0x80)
  return random.pick([
    () => nodes.toSpliced(at, 1),
    () => nodes.toSpliced(at, 0, node),
    () => nodes.toReversed(),
    () => [...nodes, random.pick([node, random.bytes(40), Uint8Array.of(0xc0)])],
    () => nodes.slice(0, at),
    () => nodes.map(() => node),
  ])()
}

const flipped = (bytes: Uint8Array, random: Random): Uint8Array =>
  bytes.length === 0 ? random.bytes(3) : wrongValue(bytes, random)

type Attack = (chain: SyntheticChain, question: OwnQuestion, random: Random) => ToldState

/** Proves by the tries of somebody, with the header of the block or of his own. */
const proveBy =
  (
    chain: SyntheticChain,
    { address, height }: OwnQuestion,
    forged: ReturnType<typeof forge>,
    isTrueHeader: boolean,
  ) =>
  (store: string): string => {
    const own = chain.built(height)?.own ?? chain.genesis
    const header = isTrueHeader
      ? chain.ownHeader(height)
      : encodeHeader({ ...own, stateRoot: forged.state.root })
    const inState = [address, forged.state.prove(address)] as const
    return store === 'acc'
      ? reply(leafOf(forged.account), trieOpsJson(undefined, inState, header), height)
      : reply(forged.value, trieOpsJson([slot, forged.storage.prove(slot)], inState, header), height)
  }

const attacks: Readonly<Record<string, Attack>> = {
  'a mutated proof': (chain, question, random) => {
    const honest = honestOwn(chain, question)
    return {
      answer: random.chance(0.3) ? honest.answer : forgedAnswer(question, forge(chain, question, random)),
      prove: (store, key) => {
        const said = JSON.parse(honest.prove(store, key)) as unknown
        return mutateReply(said, pathsOf(said), random)
      },
    }
  },
  'a mutated answer': (chain, question, random) => {
    const honest = honestOwn(chain, question)
    return { ...honest, answer: flipped(honest.answer, random) }
  },
  'a wrong answer with true proofs': (chain, question, random) => ({
    ...honestOwn(chain, question),
    answer: forgedAnswer(question, forge(chain, question, random)),
  }),
  'wrong values with the proofs of true ones': (chain, question, random) => {
    const forged = forge(chain, question, random)
    const prove = proveBy(chain, question, forged, true)
    return {
      answer: forgedAnswer(question, forged),
      prove: (store, key) => {
        const { response } = JSON.parse(prove(store))
        const { response: honest } = JSON.parse(honestReply(chain, store, key, question.height))
        return JSON.stringify({ response: { ...response, proofOps: honest.proofOps } })
      },
    }
  },
  'a trie of his own': (chain, question, random) => {
    const forged = forge(chain, question, random)
    return {
      answer: forgedAnswer(question, forged),
      prove: proveBy(chain, question, forged, random.chance(0.5)),
    }
  },
  'another height': (chain, question, random) => {
    const told = honestOwn(chain, { ...question, height: 1 + random.below(chain.head - 1) })
    return {
      ...told,
      prove: (store, key) =>
        told.prove(store, key).replace(/"height":"\d+"/, `"height":"${question.height}"`),
    }
  },
  'another account': (chain, question, random) => {
    const address = someAddress(chain, question.height, random)
    const keepsKeys = random.chance(0.5)
    return {
      answer: honestOwn(chain, { ...question, address }).answer,
      prove: (store, key) => {
        const swapped = join(key.subarray(0, 1), address, key.subarray(21))
        const told = honestReply(chain, store, swapped, question.height)
        const [from, to] = [address, question.address].map((one) => Buffer.from(one).toString('base64'))
        return keepsKeys ? told.replaceAll(`"key":"${from}"`, `"key":"${to}"`) : told
      },
    }
  },
  'nodes left out, doubled or exchanged': (chain, question, random) => ({
    answer: forgedAnswer(question, forge(chain, question, random)),
    prove: (store, key) => {
      const tries = chain.triesAt(question.height)
      const [address, of] = [key.subarray(1, 21), key.subarray(21)]
      const inState = [address, shuffled(tries.state.prove(address), random)] as const
      const inStorage = [of, shuffled(tries.storage(address).prove(of), random)] as const
      const ops = trieOpsJson(
        store === 'acc' ? undefined : inStorage,
        inState,
        chain.ownHeader(question.height),
      )
      return reply(random.chance(0.5) ? new Uint8Array(0) : random.bytes(32), ops, question.height)
    },
  }),
  'no proof': (chain, question, random) => ({
    answer: forgedAnswer(question, forge(chain, question, random)),
    prove: (_store, key) => reply(key, random.pick(['null', '{}', '{"ops":[]}']), question.height),
  }),
}

/** Returns what a lying node of our own chain says. */
export const attackOwnState: (...asked: Parameters<Attack>) => readonly [name: string, told: ToldState] = (
  chain,
  question,
  random,
) => {
  const name = random.pick(Object.keys(attacks))
  return [name, (attacks[name] as Attack)(chain, question, random)]
}
