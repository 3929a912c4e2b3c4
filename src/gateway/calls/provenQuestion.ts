import type { Header } from '../../chain/block/header.ts'
import { refused } from '../../chain/chainError.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { WitnessQuestion } from '../../chain/port/executor.ts'
import type { Evm } from '../../evm/evm.ts'
import type { ExecutionBudget } from '../../execute/call/budget.ts'
import { MessageError } from '../../execute/call/callMessage.ts'
import { type QuestionOutcome, runQuestion } from '../../execute/question/runQuestion.ts'
import type { NodeStore } from '../../light/state/nodeStore.ts'
import { MissingTrieNode, rootAfter } from '../../light/state/partialTrie.ts'
import { type MissingValue, MissingValueError, ProvenState } from '../../light/state/provenState.ts'

/** What a call needs and what is not there yet. */
export type Missing =
  | { readonly is: 'value'; readonly value: MissingValue }
  /** The hash of the block of this height. */
  | { readonly is: 'hash'; readonly height: number }
  /** A node that a new state root needs. */
  | { readonly is: 'node' }

/** The outcome of a call on a state of which only some is known, or what is missing for one. Plain data. */
export type Attempt =
  | { readonly outcome: QuestionOutcome; readonly missing?: undefined }
  | { readonly missing: Missing }

export interface QuestionInputs {
  readonly evm: Evm
  readonly config: ChainConfig
  readonly gasCap: bigint
  readonly header: Header
  /** The nodes and codes that are known. */
  readonly store: NodeStore
  readonly hashAt: (height: number) => Uint8Array | undefined
}

class MissingHash extends Error {
  readonly height: number

  constructor(height: number) {
    super('the hash of a block is missing')
    this.height = height
  }
}

/** Runs a call on the state of a header, by the code that a node runs it by. Throws the `ChainError` of a node that rejects it. */
export const attemptQuestion = (
  { evm, config, gasCap, header, store, hashAt }: QuestionInputs,
  question: WitnessQuestion,
  budget: ExecutionBudget,
): Attempt => {
  try {
    const outcome = runQuestion(
      {
        evm,
        config,
        gasCap,
        rootAfter: (changes) => rootAfter((hash) => store.get(hash), header.stateRoot, changes),
      },
      {
        header,
        state: new ProvenState(store, header.stateRoot),
        blockHash: (number) => {
          const hash = hashAt(Number(number))
          if (hash === undefined) throw new MissingHash(Number(number))
          return hash
        },
      },
      question,
      budget,
    )
    return { outcome }
  } catch (error) {
    if (error instanceof MissingValueError) return { missing: { is: 'value', value: error.missing } }
    if (error instanceof MissingHash) return { missing: { is: 'hash', height: error.height } }
    if (error instanceof MissingTrieNode) return { missing: { is: 'node' } }
    if (error instanceof MessageError) throw refused(error.message)
    throw error
  }
}
