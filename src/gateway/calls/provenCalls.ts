import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { ownBytes } from '../../base/encoding/bytes.ts'
import { TurnQueue } from '../../base/threads/timeSlice.ts'
import { encodeHeader, type Header } from '../../chain/block/header.ts'
import { ChainError, headerNotFound, limitExceeded, unavailable } from '../../chain/chainError.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { currentSource } from '../../chain/config/liveConfig.ts'
import type { CallWitness, WitnessQuestion } from '../../chain/port/executor.ts'
import type { StateView } from '../../chain/port/state.ts'
import { callCancelled, callTimedOut } from '../../chain/state/callErrors.ts'
import type { Evm } from '../../evm/evm.ts'
import { InterruptedError } from '../../evm/types.ts'
import { ExecutionBudget } from '../../execute/call/budget.ts'
import { LongCalls } from '../../execute/longCalls.ts'
import type { InlineLimits } from '../../execute/nodeExecutor.ts'
import type { QuestionOutcome } from '../../execute/question/runQuestion.ts'
import { noWitness } from '../../families/perihelion/trieRules.ts'
import { NodeStore } from '../../light/state/nodeStore.ts'
import { groupByAccount, type MissingAccount, type MissingValue } from '../../light/state/provenState.ts'
import { ChainRules } from './chainRules.ts'
import { type Attempt, attemptQuestion, type Missing } from './provenQuestion.ts'
import type { QuestionTask } from './questionService.ts'

/** How answers of calls were served: executed here on a proven state, or believed. */
export const callOutcomes = ['proven', 'witness incomplete', 'believed', 'unproven'] as const
export type CallOutcomeName = (typeof callOutcomes)[number]

/** Nodes and codes that are kept for later calls. */
const storeBytes = 48 * 2 ** 20
/** The most of one witness that is kept on this thread, where calls of others read it too; a larger one goes to a worker with its call. */
const maxTakenBytes = 256 * 1024
/** How often what is missing is requested singly, where nodes give no witness or leave something out. */
const maxRounds = 64
/** How many hashes a worker gets at once; code reaches no more of them. */
const hashSpan = 256
/** For how long after a call that was too long for this thread others let the event loop run first. */
const yieldWindowMs = 100

export interface ProvenCallsOptions {
  readonly gasCap: bigint
  readonly timeoutMs: number
  readonly inline: InlineLimits
}

export interface ProvenCallsDependencies {
  readonly evm: Evm
  /** The configuration that nodes told. */
  readonly config: ChainConfig
  readonly header: (height: number) => Header | undefined
  readonly hashAt: (height: number) => Uint8Array | undefined
  /** Requests what a call reads from the nodes. */
  readonly witness: (question: WitnessQuestion, height: number, signal: AbortSignal) => Promise<CallWitness>
  readonly stateAt: (height: number) => Pick<StateView, 'prove' | 'code'>
  /** Runs a call on another thread. */
  readonly runElsewhere: (task: QuestionTask, signal: AbortSignal) => Promise<Attempt>
}

/** A call that is being answered, with what came for it. */
interface Running {
  readonly question: WitnessQuestion
  readonly height: number
  readonly header: Header
  readonly config: ChainConfig
  readonly signal: AbortSignal
  readonly items: Uint8Array[]
  readonly hashes: Map<number, Uint8Array>
  witness: 'unasked' | 'given' | 'not given'
  isElsewhere: boolean
}

/**
 * Answers calls by running them here, on states of proven headers. Nodes are asked for what a call reads, and what they
 * give counts by its hash: nothing that they make up can be read. What they leave out is requested with its own proof.
 */
export class ProvenCalls {
  readonly #options: ProvenCallsOptions
  readonly #dependencies: ProvenCallsDependencies
  readonly #store = new NodeStore(storeBytes)
  readonly #rules: ChainRules
  readonly #longCalls = new LongCalls()
  readonly #turns = new TurnQueue()
  readonly #counts = new Map<CallOutcomeName, number>()
  #yieldUntil = 0

  constructor(options: ProvenCallsOptions, dependencies: ProvenCallsDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#rules = new ChainRules(dependencies.config, this.#store)
  }

  counts(): ReadonlyMap<CallOutcomeName, number> {
    return this.#counts
  }

  count(outcome: CallOutcomeName): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1)
  }

  /** Runs a call on the state after a block, whose header is proven. */
  async run(question: WitnessQuestion, height: number, signal: AbortSignal): Promise<QuestionOutcome> {
    const header = this.#dependencies.header(height)
    if (header === undefined) throw headerNotFound()
    let rounds = 0
    try {
      const config = await this.#rules.at(header, (values) => this.#load(height, values))
      const running: Running = {
        ...{ question, height, header, config, signal },
        items: [],
        hashes: new Map(),
        witness: 'unasked',
        isElsewhere: question.kind === 'simulate' || this.#longCalls.has(question.kind, question.call),
      }
      const end = performance.now() + this.#options.timeoutMs
      for (;;) {
        if (signal.aborted) throw callCancelled()
        const attempt = await this.#attempt(running)
        if (attempt.missing === undefined) {
          this.count(rounds > 0 && running.witness === 'given' ? 'witness incomplete' : 'proven')
          return attempt.outcome
        }
        if (performance.now() > end) throw callTimedOut(this.#options.timeoutMs)
        if (running.witness === 'unasked') await this.#takeWitness(running)
        else await this.#complete(running, attempt.missing, ++rounds)
      }
    } catch (error) {
      // A rejection by the execution is a result too.
      this.count(error instanceof ChainError && error.kind === 'refused' ? 'proven' : 'unproven')
      throw error
    }
  }

  async #attempt(running: Running): Promise<Attempt> {
    if (!running.isElsewhere) {
      if (performance.now() < this.#yieldUntil) await this.#turns.turn()
      const attempt = this.#attemptHere(running)
      if (attempt !== undefined) return attempt
    }
    // What is known here is not known there.
    if (running.witness === 'unasked') await this.#takeWitness(running)
    const { question, header, config, items, hashes, signal } = running
    const task: QuestionTask = {
      kind: 'question',
      headerRlp: encodeHeader(header),
      config: JSON.stringify(currentSource(config)),
      ...{ question, items, hashes: [...hashes] },
    }
    return this.#dependencies.runElsewhere(task, signal)
  }

  /** Runs a call on this thread; undefined if it takes too long. */
  #attemptHere(running: Running): Attempt | undefined {
    const { evm, hashAt } = this.#dependencies
    const { inline, gasCap } = this.#options
    const { header, config, question } = running
    const end = performance.now() + inline.milliseconds
    const budget = new ExecutionBudget({ deadline: () => end, gasBudget: inline.gas })
    try {
      return attemptQuestion({ evm, config, gasCap, header, store: this.#store, hashAt }, question, budget)
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error
      this.#yieldUntil = performance.now() + yieldWindowMs
      running.isElsewhere = true
      if (question.kind !== 'simulate') this.#longCalls.add(question.kind, question.call)
      return undefined
    }
  }

  /** Requests all that a call reads. Where nodes reject that, what is missing can still be requested singly. */
  async #takeWitness(running: Running): Promise<void> {
    const { question, height, signal } = running
    try {
      const { nodes, codes, oldestHash } = await fromNodes(() =>
        this.#dependencies.witness(question, height, signal),
      )
      if (oldestHash !== undefined) this.#addHashes(running, oldestHash)
      this.#keep(running, [...nodes, ...codes])
      running.witness = 'given'
    } catch (error) {
      if (!(error instanceof ChainError) || !noWitness.has(error.kind)) throw error
      running.witness = 'not given'
    }
  }

  #keep(running: Running, given: readonly Uint8Array[]): void {
    const items = given.map(ownBytes)
    running.items.push(...items)
    const bytes = items.reduce((sum, { length }) => sum + length, 0)
    if (bytes > maxTakenBytes) running.isElsewhere = true
    else this.#store.add(items)
  }

  /** Requests what a witness left out: a node with a lower cap of gas reads less. */
  async #complete(running: Running, missing: Missing, round: number): Promise<void> {
    const { witness, height } = running
    if (round > maxRounds || missing.is === 'node')
      throw witness === 'given'
        ? unavailable('the nodes behind this gateway leave out what the call reads: it cannot be proven')
        : limitExceeded(
            `the call cannot be proven: the nodes behind this gateway give no witness of it, and more is missing than the ${maxRounds} values that are requested one by one`,
          )
    if (missing.is === 'value') return this.#load(height, [missing.value], running)
    if (this.#addHashes(running, missing.height) === 0)
      throw unavailable(
        `the call reads the hash of block ${missing.height}, which this gateway has not stored`,
      )
  }

  /** Adds the hashes of the blocks from a height on, as far as they are stored. Returns how many there are. */
  #addHashes({ header, hashes }: Running, from: number): number {
    const end = Math.min(Number(header.number), from + hashSpan)
    let added = 0
    for (let height = from; height < end; height++) {
      const hash = this.#dependencies.hashAt(height)
      if (hash === undefined) break
      hashes.set(height, hash)
      added++
    }
    return added
  }

  /** Requests values of a state with their proofs. */
  async #load(height: number, values: readonly MissingValue[], running?: Running): Promise<void> {
    const state = this.#dependencies.stateAt(height)
    const load = async ({ address, slots, hasCode }: MissingAccount): Promise<readonly Uint8Array[]> => {
      const [{ accountProof, storageProof }, code] = await Promise.all([
        fromNodes(() => state.prove(address, slots)),
        hasCode ? fromNodes(() => state.code(address)) : undefined,
      ])
      return [...accountProof, ...storageProof.flatMap(({ proof }) => proof), ...(code ? [code] : [])]
    }
    const items = (await Promise.all(groupByAccount(values).map(load))).flat()
    if (running === undefined) this.#store.add(items)
    else this.#keep(running, items)
  }
}

/** Waits for what nodes give. That one of them rejects a request is not a rejection of the call. */
const fromNodes = async <T>(request: () => MaybePromise<T>): Promise<T> => {
  try {
    return await request()
  } catch (error) {
    if (!(error instanceof ChainError) || error.kind !== 'refused') throw error
    throw unavailable(`a node behind this gateway does not give what the call reads: ${error.message}`)
  }
}
