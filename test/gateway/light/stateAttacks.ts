import { toHex } from '../../../src/base/encoding/hex.ts'
import type { Random } from '../../support/random.ts'
import { mutateReply, pathsOf } from '../mutations/mutate.ts'
import { base64 } from '../replay/block/cometJson.ts'
import { keccak } from '../replay/block/signing.ts'
import { proofOpsJson } from '../replay/stores/multistore.ts'
import { existenceProof, exists, iavlTreeOf, isMissing, type Leaf } from '../replay/stores/trees.ts'
import type { SyntheticChain } from '../replay/synthetic.ts'
import { blob, join, text, uint } from '../replay/wire.ts'

/** A question about a state. */
export interface Question {
  readonly query: 'Balance' | 'Account' | 'Code' | 'Storage'
  readonly address: Uint8Array
  readonly height: number
}

/** What a node says: the answer, and the reply of `abci_query` to a question for a proof, as text. */
export interface ToldState {
  readonly answer: Uint8Array
  readonly prove: (store: string, key: Uint8Array) => string
}

const slot = `0x${'0'.repeat(64)}`

export const requestOf = ({ query, address }: Question): Uint8Array =>
  join(text(1, toHex(address)), ...(query === 'Storage' ? [text(2, slot)] : []))

export const pathOf = (chain: SyntheticChain, { query }: Question): string =>
  `/${chain.traits.evmPackage}.Query/${query}`

/** Returns the reply of `abci_query` to a question for a proof. */
export const reply = (value: Uint8Array, proof: string, height: number): string =>
  `{"response":{"code":0,"log":"","value":${value.length === 0 ? 'null' : `"${base64(value)}"`},"proofOps":${proof},"height":"${height}"}}`

const known = new WeakMap<SyntheticChain, Map<string, string>>()

const honestProof = (chain: SyntheticChain, store: string, key: Uint8Array, height: number): string => {
  const replies = known.get(chain) ?? new Map<string, string>()
  known.set(chain, replies)
  const name = `${height} ${store} ${Buffer.from(key).toString('latin1')}`
  const found = replies.get(name)
  if (found !== undefined) return found
  const { value, proof = '' } = chain.prove(`/store/${store}/key`, key, height)
  const made = reply(value, proof, height)
  replies.set(name, made)
  return made
}

const answerOf = (chain: SyntheticChain, question: Question): Uint8Array =>
  chain.query(pathOf(chain, question), requestOf(question), question.height).value

export const honestState = (chain: SyntheticChain, question: Question): ToldState => ({
  answer: answerOf(chain, question),
  prove: (store, key) => honestProof(chain, store, key, question.height),
})

export const someAddress = (chain: SyntheticChain, height: number, random: Random): Uint8Array =>
  random.chance(0.15) ? random.bytes(20) : random.pick(chain.world.accounts(height)).address

const wrongAnswer = (chain: SyntheticChain, question: Question, random: Random): Uint8Array => {
  const { nonce, balance } = chain.world.account(question.address, question.height)
  const other = random.chance(0.3) ? 0n : balance + BigInt(random.below(1_000)) - 500n
  switch (question.query) {
    case 'Balance':
      return text(1, String(other < 0n ? 7n : other))
    case 'Account':
      return join(
        text(1, String(random.chance(0.5) ? balance : other < 0n ? 7n : other)),
        text(
          2,
          toHex(
            keccak(
              random.chance(0.7) ? chain.world.code(question.address, question.height) : random.bytes(5),
            ),
          ),
        ),
        uint(3, random.chance(0.5) ? nonce : nonce + 1n),
      )
    case 'Code':
      return random.chance(0.4) ? new Uint8Array(0) : blob(1, random.bytes(1 + random.below(60)))
    default:
      return text(1, random.chance(0.4) ? slot : toHex(random.bytes(32)))
  }
}

/** The value under which a wrong answer would be stored. */
export const wrongValue = (value: Uint8Array, random: Random): Uint8Array => {
  const copy = Buffer.from(value.length === 0 ? random.bytes(32) : value)
  const at = random.below(copy.length)
  copy.writeUInt8(copy.readUInt8(at) ^ (1 + random.below(255)), at)
  return copy
}

type Attack = (chain: SyntheticChain, question: Question, random: Random) => ToldState

const treeOf = (chain: SyntheticChain, store: string, height: number) =>
  chain.storesAt(height).stores.get(store) ?? iavlTreeOf([], 1)

const attacks: Readonly<Record<string, Attack>> = {
  'a mutated proof': (chain, question, random) => {
    const { answer } = honestState(chain, question)
    return {
      answer: random.chance(0.5) ? answer : wrongAnswer(chain, question, random),
      prove: (store, key) => {
        const said = JSON.parse(honestProof(chain, store, key, question.height)) as unknown
        return mutateReply(said, pathsOf(said), random)
      },
    }
  },
  'a wrong answer with true proofs': (chain, question, random) => ({
    ...honestState(chain, question),
    answer: wrongAnswer(chain, question, random),
  }),
  'wrong values with the proofs of true ones': (chain, question, random) => ({
    answer: wrongAnswer(chain, question, random),
    prove: (store, key) => {
      const { response } = JSON.parse(honestProof(chain, store, key, question.height))
      const value = wrongValue(Buffer.from(response.value ?? '', 'base64'), random)
      return reply(value, JSON.stringify(response.proofOps), question.height)
    },
  }),
  'another height': (chain, question, random) => {
    const height = 3 + random.below(chain.head - 3)
    const { answer } = honestState(chain, { ...question, height })
    const isTold = random.chance(0.3)
    return {
      answer,
      prove: (store, key) => {
        const said = honestProof(chain, store, key, height)
        return isTold ? said : said.replace(/"height":"\d+"/, `"height":"${question.height}"`)
      },
    }
  },
  'another account': (chain, question, random) => {
    const address = someAddress(chain, question.height, random)
    const { answer } = honestState(chain, { ...question, address })
    const swap = (key: Uint8Array): Uint8Array => {
      const at = Buffer.from(key).indexOf(question.address)
      return at < 0 ? key : join(key.subarray(0, at), address, key.subarray(at + 20))
    }
    return { answer, prove: (store, key) => honestProof(chain, store, swap(key), question.height) }
  },
  'what exists is said to be missing': (chain, question, random) => {
    const nobody = { ...question, address: random.bytes(20) }
    return {
      answer: answerOf(chain, nobody),
      prove: (store, key) => {
        const tree = treeOf(chain, store, question.height)
        const at = tree.leaves.findIndex((leaf) => Buffer.compare(leaf.key, key) >= 0)
        const near = at < 0 ? tree.leaves.length : at
        const some = (index: number): Uint8Array | undefined =>
          index >= 0 && index < tree.leaves.length ? tree.existence(index) : undefined
        const left = random.chance(0.85) ? some(near - 1 - random.below(2)) : undefined
        const right = random.chance(0.85) ? some(near + random.below(3)) : undefined
        const claimed = random.chance(0.9)
          ? isMissing(key, left, right)
          : isMissing(random.bytes(21), left, right)
        const outer = chain.storesAt(question.height).proveStore(store)
        return reply(new Uint8Array(0), proofOpsJson(store, key, claimed, outer), question.height)
      },
    }
  },
  'a tree of his own': (chain, question, random) => {
    const isOuterTrue = random.chance(0.5)
    return {
      answer: wrongAnswer(chain, question, random),
      prove: (store, key) => {
        const { response } = JSON.parse(honestProof(chain, store, key, question.height))
        const value = wrongValue(Buffer.from(response.value ?? '', 'base64'), random)
        const { leaves } = treeOf(chain, store, question.height)
        const others = leaves.filter((leaf) => Buffer.compare(leaf.key, key) !== 0)
        const tree = iavlTreeOf([...others, { key, value }], question.height)
        const outer = isOuterTrue
          ? chain.storesAt(question.height).proveStore(store)
          : exists(
              existenceProof({ key: Buffer.from(store), value: tree.root }, Uint8Array.of(0), [
                join(uint(1, 1), blob(2, Uint8Array.of(1)), blob(3, random.bytes(32))),
              ]),
            )
        return reply(value, proofOpsJson(store, key, tree.prove(key), outer), question.height)
      },
    }
  },
  'an inner node as a leaf, or a leaf as an inner node': (chain, question, random) => ({
    answer: wrongAnswer(chain, question, random),
    prove: (store, key) => {
      const tree = treeOf(chain, store, question.height)
      const index = random.below(Math.max(1, tree.leaves.length))
      const leaf: Leaf = { key, value: wrongValue(new Uint8Array(0), random) }
      const true_ = tree.leaves[index] ?? leaf
      const prefix = random.pick([
        Uint8Array.of(0, 2, 2),
        Uint8Array.of(2, 4, 2, 32),
        join(Uint8Array.of(0), random.bytes(random.below(8))),
        join(Uint8Array.of(2, 4, 2, 32), random.bytes(32), Uint8Array.of(32)),
        new Uint8Array(0),
      ])
      const steps = Array.from({ length: random.below(4) }, () =>
        random.chance(0.5)
          ? join(uint(1, 1), blob(2, join(prefix, true_.key)), blob(3, random.bytes(33)))
          : join(
              uint(1, random.below(3)),
              blob(2, random.bytes(random.below(50))),
              blob(3, random.bytes(random.below(70))),
            ),
      )
      const proof = existenceProof(random.chance(0.5) ? leaf : { ...true_, value: leaf.value }, prefix, steps)
      const outer = chain.storesAt(question.height).proveStore(store)
      return reply(leaf.value, proofOpsJson(store, key, exists(proof), outer), question.height)
    },
  }),
  'no proof': (chain, question, random) => ({
    answer: wrongAnswer(chain, question, random),
    prove: (store, key) => {
      const { response } = JSON.parse(honestProof(chain, store, key, question.height))
      const none = random.pick(['null', '{}', '{"ops":null}', '{"ops":[]}'])
      return random.chance(0.2)
        ? '{"response":{"code":6,"log":"no such store: unknown request"}}'
        : reply(Buffer.from(response.value ?? '', 'base64'), none, question.height)
    },
  }),
}

const names = Object.keys(attacks)

/** Returns what a lying node says. */
export const attackState = (
  chain: SyntheticChain,
  question: Question,
  random: Random,
): readonly [string, ToldState] => {
  const name = random.pick(names)
  return [name, (attacks[name] as Attack)(chain, question, random)]
}
