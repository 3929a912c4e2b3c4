import { toBase64 } from '../../base/encoding/base64.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { toSignedHeaderJson } from '../../comet/data/cometJson.ts'
import type { SignedHeader } from '../../comet/data/commit.ts'
import { headerHash } from '../../comet/data/headerHash.ts'
import { NativeQueryError, type ProvenValue } from '../../comet/data/nativeQuery.ts'
import { ProvenLie } from '../../comet/data/provenLie.ts'
import { toQueryError } from '../../comet/data/queryErrors.ts'
import type { LightLog } from '../lightLog.ts'
import { type AskedState, MissingStore, NoProof, type StateRules, type Verdict } from './judgement.ts'
import { ProofError } from './proofFields.ts'
import type { ProofKind } from './proofKind.ts'

/** The node whose answer is proven: whoever answers must prove it. */
export interface ProvingNode {
  readonly name: string
  prove(store: string, key: Uint8Array, height: number): Promise<ProvenValue>
  signedHeader(height: number): Promise<SignedHeader>
}

/** What the header after a block says of the state after the block. */
export interface CommittedState {
  readonly appHash: Uint8Array
  /** The hash of that header; undefined if it is not stored. */
  readonly hash: Uint8Array | undefined
}

export interface StateProofsDependencies {
  readonly rules: StateRules
  readonly kind: Pick<ProofKind, 'lowest' | 'isCertain' | 'verify'>
  /** Returns the highest block after which the state is committed to by a header that is there. */
  readonly highest: () => number
  /** Returns what commits to the state after a block up to that one; undefined if it is not kept. */
  readonly committed: (height: number) => CommittedState | undefined
  readonly log: LightLog
}

/** How answers about states were served: proven, or believed and why. */
export const stateOutcomes = ['proven', 'newest', 'no proof', 'in part'] as const
export type StateOutcome = (typeof stateOutcomes)[number]

/** Who did not prove a response, and what it said: for the log alone, because callers are not told the addresses of nodes. */
interface Culprit {
  readonly node: string
  readonly said?: string | undefined
}

interface GivenProof {
  readonly store: string
  readonly key: Uint8Array
  readonly given: ProvenValue
}

const toJson = ({ store, key, given }: GivenProof): object => ({
  store,
  key: toHex(key),
  value: toHex(given.value),
  proof: given.operations.map(({ type, data }) => ({ type, data: toBase64(data) })),
})

/**
 * Proves answers about states: each value is requested again with its proof, from the same node, and the proof must lead
 * to the AppHash of the next header. Unless the kind of proofs is certain, one that does not may mean before the first that
 * does that the chain is made in another way: the response is not served then, and no node is called a liar. The same holds
 * for each kind of answers, until one was what proven values say.
 */
export class StateProofs {
  readonly #dependencies: StateProofsDependencies
  readonly #counts = new Map<StateOutcome, number>()
  readonly #known = new Set<string>()
  readonly #missingStores = new Map<string, string>()
  #problem: string | undefined

  constructor(dependencies: StateProofsDependencies) {
    this.#dependencies = dependencies
  }

  counts(): ReadonlyMap<StateOutcome, number> {
    return this.#counts
  }

  /** Why answers at heights that could be proven are not; undefined if they are. Callers read it: it names no node. */
  get problem(): string | undefined {
    return this.#problem ?? this.#missingStores.values().next().value
  }

  isProvable(height: number): boolean {
    return height >= this.#dependencies.kind.lowest && height <= this.#dependencies.highest()
  }

  #isKnown(name: string): boolean {
    return this.#dependencies.kind.isCertain || this.#known.has(name)
  }

  #committed(height: number): CommittedState | undefined {
    return this.isProvable(height) ? this.#dependencies.committed(height) : undefined
  }

  /** Returns whether a response that was served in this way would be proven now. */
  canProveMore(outcome: StateOutcome | undefined, height: number): boolean {
    if (outcome === 'newest') return this.#committed(height) !== undefined
    return outcome === 'no proof' && this.#isKnown(anyProof)
  }

  /**
   * Checks the response of a node. Returns whether it is proven, or why it is believed; undefined if it is not about values of a
   * state. Throws a `ProvenLie` if it is wrong, or a `NativeQueryError` if another node should be asked.
   */
  async check(
    asked: AskedState,
    node: ProvingNode,
    answer: Promise<Uint8Array>,
  ): Promise<StateOutcome | undefined> {
    const { height } = asked
    const given: GivenProof[] = []
    const missing = new Map<string, MissingStore>()
    let found: CommittedState | undefined
    const read = async (store: string, key: Uint8Array): Promise<Uint8Array> => {
      if (found === undefined) throw new Error('there is no header to prove it by')
      const proof = { store, key, given: await this.#ask(node, store, key, height, missing) }
      given.push(proof)
      await this.#verify(proof, height, node, found)
      return proof.given.value
    }
    const proof = this.#dependencies.rules(asked, read)
    if (proof === undefined) {
      await answer
      return undefined
    }
    found = this.#committed(height)
    if (found === undefined) {
      await answer
      return this.#count('newest')
    }
    let verdict: Verdict
    try {
      const [judge, response] = await Promise.all([proof.begin(), answer])
      verdict = await judge(response)
    } catch (error) {
      if (error instanceof NoProof) return this.#believe(error, node)
      if (!(error instanceof ProofError)) throw error
      // What is proven is written in a way that is not known here.
      verdict = { is: 'unjudged' }
    }
    // The state is there, or no header would commit to it: a node that tells why it has no value says nothing that is proven.
    if (verdict.is === 'unanswered')
      throw this.#refuse('a node tells no value of a state that it has', { node: node.name })
    if (verdict.is === 'disproven')
      throw await this.#refute(verdict.proof, height, node, found, verdict.problem)
    if (verdict.is === 'different') {
      const { problem, proof: own } = verdict
      if (!this.#isKnown(proof.name))
        throw this.#refuse(
          `${proof.name} at ${height} is not what the stores say as they are known: ${problem}`,
          { node: node.name },
        )
      const evidence = { path: asked.path, proofs: own ? [own] : given.map(toJson) }
      throw new ProvenLie('forged state', height, `its state is not what a node said: ${problem}`, evidence)
    }
    if (verdict.is === 'same') this.#problem = undefined
    if (verdict.is === 'same' && verdict.isTelling) this.#known.add(proof.name)
    if (verdict.is === 'unjudged' && missing.size > 0) return this.#believeMissing(missing, node)
    return this.#count(verdict.is === 'same' ? 'proven' : 'in part')
  }

  /** Checks a proof that is passed on to a client. */
  async checkGiven(
    store: string,
    key: Uint8Array,
    height: number,
    given: ProvenValue,
    node: ProvingNode,
  ): Promise<StateOutcome> {
    const found = this.#committed(height)
    if (found === undefined) return this.#count('newest')
    try {
      await this.#verify({ store, key, given }, height, node, found)
    } catch (error) {
      if (!(error instanceof NoProof)) throw error
      return this.#believe(error, node)
    }
    return this.#count('proven')
  }

  async #verify(proof: GivenProof, height: number, node: ProvingNode, found: CommittedState): Promise<void> {
    const { store, key, given } = proof
    if (given.operations.length === 0) throw new NoProof(`no proof of the store ${store}`)
    try {
      this.#dependencies.kind.verify(given, store, key, found.appHash)
    } catch (error) {
      if (!(error instanceof ProofError)) throw error
      throw await this.#refute(
        toJson(proof),
        height,
        node,
        found,
        `the proof of a value of ${store}: ${error.message}`,
      )
    }
    this.#known.add(anyProof)
    this.#known.add(proofOf(store))
    this.#missingStores.delete(store)
    this.#problem = undefined
  }

  /**
   * Returns what a proof is that leads nowhere: a lie, if the node's own header after the block is the stored one and says
   * the same as that. A store that was taken from a file may have another AppHash under its hash.
   */
  async #refute(
    proof: object,
    height: number,
    node: ProvingNode,
    { appHash, hash }: CommittedState,
    problem: string,
  ): Promise<Error> {
    if (!this.#isKnown(anyProof))
      return this.#refuse(`${problem}, and none of this chain has been right yet`, { node: node.name })
    let signed: SignedHeader
    try {
      signed = await node.signedHeader(height + 1)
    } catch (error) {
      const refusal = toQueryError(error)
      if (!(refusal instanceof NativeQueryError) || refusal.kind === 'unavailable') throw error
      // To reject the header is no way out: the node has failed, and another one is asked.
      return this.#refuse(`${problem}, and its node gives no header`, {
        node: node.name,
        said: refusal.message,
      })
    }
    const { header } = signed
    const isStored = hash === undefined || equalBytes(headerHash(header), hash)
    if (!isStored || !equalBytes(header.appHash, appHash))
      return this.#refuse(`block ${height + 1} of a node is not as it is stored here`, { node: node.name })
    const evidence = { proof, signed: toSignedHeaderJson(signed) }
    return new ProvenLie('forged state', height, problem, evidence)
  }

  /** Asks for a proof. A node that rejects the request gives none; a node that does not answer is asked no further. */
  async #ask(
    node: ProvingNode,
    store: string,
    key: Uint8Array,
    height: number,
    missing: Map<string, MissingStore>,
  ): Promise<ProvenValue> {
    try {
      return await node.prove(store, key, height)
    } catch (error) {
      const refusal = toQueryError(error)
      if (!(refusal instanceof NativeQueryError)) throw error
      if (refusal.kind !== 'refused' && refusal.kind !== 'unknown path') throw error
      if (!/no such store/.test(refusal.message) || this.#isKnown(proofOf(store)))
        throw new NoProof(`no proof of the store ${store}`, refusal.message)
      const missed = new MissingStore(`no proof, because there is no such store: ${store}`, refusal.message)
      missing.set(store, missed)
      throw missed
    }
  }

  /** Believes a response although part of it would be in stores that the chain is said not to have. */
  #believeMissing(missing: ReadonlyMap<string, MissingStore>, { name: node }: ProvingNode): StateOutcome {
    for (const [store, { message: problem, said }] of missing) {
      if (!this.#missingStores.has(store))
        this.#dependencies.log.warn(
          { problem, node, said },
          'STATES ARE BELIEVED: the chain has no such store',
        )
      this.#missingStores.set(store, problem)
    }
    return this.#count('no proof')
  }

  #believe({ message: why, said }: NoProof, { name: node }: ProvingNode): StateOutcome {
    if (this.#isKnown(anyProof)) throw this.#refuse(`${why}, though this chain has proofs`, { node, said })
    this.#note(why, { node, said }, 'STATES ARE BELIEVED: the chain gives no proofs')
    return this.#count('no proof')
  }

  #refuse(problem: string, culprit: Culprit): NativeQueryError {
    this.#note(problem, culprit, 'a value of a state could not be proven and was not served')
    return new NativeQueryError('unavailable', problem)
  }

  #note(problem: string, culprit: Culprit, what: string): void {
    const isNew = this.#problem === undefined
    this.#problem = problem
    if (isNew) this.#dependencies.log.warn({ problem, ...culprit }, what)
  }

  #count(outcome: StateOutcome): StateOutcome {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1)
    return outcome
  }
}

const anyProof = 'any proof'
const proofOf = (store: string): string => `a proof of the store ${store}`
