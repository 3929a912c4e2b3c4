import { loadWasm, readWasm } from '#platform/wasm'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { MissingWasmError } from '../../base/platform/wasmFiles.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { WitnessQuestion } from '../../chain/port/executor.ts'
import type { EvmStateReader } from '../../chain/state/evmState.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { createEvm, type Evm } from '../../evm/evm.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { InterruptedError } from '../../evm/types.ts'
import { ExecutionBudget } from '../../execute/call/budget.ts'
import { MessageError } from '../../execute/call/callMessage.ts'
import { type QuestionOutcome, runQuestion } from '../../execute/question/runQuestion.ts'
import { MissingTrieNode, rootAfter } from '../../light/state/partialTrie.ts'
import { MissingValueError } from '../../light/state/provenState.ts'
import type { Session } from '../chain.ts'
import { EndpointFailure, EndpointRefusal } from '../endpoints/endpoint.ts'
import { askProven } from '../endpoints/endpoints.ts'
import { codes, LightError, limitExceeded } from '../lightError.ts'
import { type ProvenHeader, parseDataList, parseMembers } from '../proving/answers.ts'
import type { GivenQuestion } from './question.ts'

/** How often something that is missing is requested where there is no witness. */
const maxRounds = 64
/** How much a witness may leave out: a node whose cap of gas is lower ends a call before it reads everything. */
const maxLeftOut = 16
const keptCodesOf = 256
/** How many hashes of known codes an endpoint takes. */
const maxKnownCodes = 1_024

/** Thrown for the hash of a block that is not proven yet. */
class MissingHash extends Error {
  readonly number: number

  constructor(number: number) {
    super('the hash of a block is not proven yet')
    this.number = number
  }
}

/** Compiles the EVM. The one for tracers is compiled when it is needed. */
const openEvm = async (): Promise<Evm> => {
  const fast = await WebAssembly.compile(readWasm('machine'))
  let traced: WebAssembly.Module | undefined
  return createEvm(
    {
      fast,
      get traced() {
        traced ??= new WebAssembly.Module(readWasm('machineTraced'))
        return traced
      },
    },
    precompilesAt,
  )
}

/** Runs requests on proven states, by the code that a node runs them by. */
export class QuestionRunner {
  readonly #evm: Evm
  readonly #gasCap: bigint
  readonly #timeoutMs: number
  /** The hashes of the codes that requests to an address have read. What came unread beside them is not told to others. */
  readonly #codesOf = new Map<string, Set<string>>()

  private constructor(evm: Evm, gasCap: bigint, timeoutMs: number) {
    this.#evm = evm
    this.#gasCap = gasCap
    this.#timeoutMs = timeoutMs
  }

  static async open(gasCap: bigint, timeoutMs: number): Promise<QuestionRunner> {
    return new QuestionRunner(await openEvm(), gasCap, timeoutMs)
  }

  /** Runs a call on the state of a block. What it needs is requested at once, and what was missed later. */
  async run(session: Session, block: ProvenHeader, given: GivenQuestion): Promise<QuestionOutcome> {
    const config = await session.config()
    let witness: 'unasked' | 'given' | EndpointRefusal = 'unasked'
    let left = this.#timeoutMs
    for (let rounds = 0; ; ) {
      const began = performance.now()
      try {
        return this.#attempt(session, block, config, given.question, began + left)
      } catch (error) {
        left -= performance.now() - began
        if (error instanceof MissingWasmError) await loadWasm(error.module)
        else if (error instanceof InterruptedError)
          throw limitExceeded(`the call takes longer than ${this.#timeoutMs} ms`)
        else if (error instanceof MessageError) throw new LightError(codes.failed, error.message)
        else if (!isMissing(error)) throw error
        else if (witness === 'unasked') witness = await this.#loadWitness(session, block, given)
        else {
          if (rounds++ === (witness === 'given' ? maxLeftOut : maxRounds))
            throw witness === 'given'
              ? new EndpointFailure(session.endpoint.name, 'its witness leaves out what the call reads')
              : witness
          if (error instanceof MissingTrieNode && witness !== 'given') throw witness
          await this.#load(session, block, error)
        }
      }
    }
  }

  /** Returns the hashes of codes that requests to an address have read, for more of them. */
  #codesRead(address: string): Set<string> {
    const known = this.#codesOf.get(address)
    if (known !== undefined) return known
    if (this.#codesOf.size >= keptCodesOf) this.#codesOf.clear()
    const read = new Set<string>()
    this.#codesOf.set(address, read)
    return read
  }

  #attempt(
    { chain, head }: Session,
    block: ProvenHeader,
    config: ChainConfig,
    question: WitnessQuestion,
    end: number,
  ): QuestionOutcome {
    const { states, headers } = chain
    return runQuestion(
      {
        evm: this.#evm,
        config,
        gasCap: this.#gasCap,
        rootAfter: (changes) => rootAfter((hash) => states.store.get(hash), block.header.stateRoot, changes),
      },
      {
        header: block.header,
        state: notingCodes(states.at(block), this.#codesRead(addressOf(question))),
        blockHash: (number) => {
          const found = headers.known(head, Number(number))
          if (found === undefined) throw new MissingHash(Number(number))
          return found.hash
        },
      },
      question,
      new ExecutionBudget({ deadline: () => end }),
    )
  }

  /** Asks for the witness of a call. Where that is rejected, what is missed can still be requested. */
  async #loadWitness(
    session: Session,
    block: ProvenHeader,
    given: GivenQuestion,
  ): Promise<'given' | EndpointRefusal> {
    try {
      await this.#takeWitness(session, block, given)
      return 'given'
    } catch (error) {
      if (error instanceof EndpointRefusal) return error
      throw error
    }
  }

  async #takeWitness({ chain, endpoint }: Session, block: ProvenHeader, given: GivenQuestion): Promise<void> {
    const read = this.#codesRead(addressOf(given.question))
    const known = [...read].filter((hash) => chain.states.store.has(hash))
    const params = [given.json, toQuantity(block.header.number), known]
    await askProven(endpoint, 'perihelion_callWitness', params, (answer) => {
      const { nodes, codes, headers } = parseMembers(answer, 'witness')
      chain.states.store.add(parseDataList(nodes, 'nodes'))
      chain.states.store.add(parseDataList(codes, 'codes'))
      chain.headers.takeBelow(block, parseDataList(headers, 'headers'))
    })
  }

  async #load({ chain, endpoint, head }: Session, block: ProvenHeader, error: Missing): Promise<void> {
    if (error instanceof MissingValueError) return chain.states.load(endpoint, block, [error.missing])
    if (error instanceof MissingHash) {
      await chain.headers.at(endpoint, head, error.number)
      return
    }
    throw new UpstreamError('its witness leaves out nodes that the new state root needs')
  }
}

/** A state that notes the hashes of the codes that are read of it. */
const notingCodes = (state: EvmStateReader, read: Set<string>): EvmStateReader => ({
  account: (address) => state.account(address),
  storage: (address, slot) => state.storage(address, slot),
  hasStorage: (address) => state.hasStorage(address),
  code: (hash) => {
    const code = state.code(hash)
    if (code.length > 0 && read.size < maxKnownCodes) read.add(toHex(hash))
    return code
  },
})

type Missing = MissingValueError | MissingHash | MissingTrieNode

const isMissing = (error: unknown): error is Missing =>
  error instanceof MissingValueError || error instanceof MissingHash || error instanceof MissingTrieNode

const addressOf = (question: WitnessQuestion): string =>
  question.kind === 'simulate' || question.call.request.to === undefined
    ? question.kind
    : toHex(question.call.request.to)
