import { ChainError, limitExceeded } from '../../chain/chainError.ts'
import type { CallWitness, WitnessQuestion } from '../../chain/port/executor.ts'
import { StateWitness } from '../../state/reading/stateWitness.ts'
import type { StateStore } from '../../state/stateStore.ts'
import type { ExecutionBudget } from '../call/budget.ts'
import type { StateAndHeader } from '../call/callEnvironment.ts'
import { MessageError } from '../call/callMessage.ts'
import { RecordedState, type WitnessBudget } from './recordedState.ts'
import { type QuestionDependencies, runQuestion } from './runQuestion.ts'

/** What the nodes and codes of one witness may take; a block's gas reaches less. */
const maxWitnessBytes = 16 * 2 ** 20

class WitnessSize implements WitnessBudget {
  #bytes = 0

  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > maxWitnessBytes)
      throw limitExceeded(`the call reads more than can be proven at once: ${maxWitnessBytes} bytes`)
  }
}

/** Runs a request and returns all that it reads of the state, with its proofs. */
export const createCallWitness = (
  dependencies: Omit<QuestionDependencies, 'rootAfter'> & { readonly state: StateStore },
  base: StateAndHeader,
  question: WitnessQuestion,
  budget: ExecutionBudget,
): CallWitness => {
  const { number, stateRoot } = base.header
  const size = new WitnessSize()
  const witness = new StateWitness(dependencies.state.tables, Number(number), stateRoot, (bytes) => {
    size.add(bytes)
    budget.check()
  })
  const read = new RecordedState(base.state, size)
  let oldestHash: number | undefined
  const recorded: StateAndHeader = {
    header: base.header,
    state: read,
    blockHash: (wanted) => {
      if (oldestHash === undefined || wanted < oldestHash) oldestHash = Number(wanted)
      return base.blockHash(wanted)
    },
  }
  const rootAfter: QuestionDependencies['rootAfter'] = (changes) => witness.addChanges(changes)
  try {
    runQuestion({ ...dependencies, rootAfter }, recorded, question, budget)
  } catch (error) {
    // A request that is rejected is so for what it read.
    const isAnswer =
      error instanceof MessageError || (error instanceof ChainError && error.kind === 'refused')
    if (!isAnswer) throw error
  }
  read.addAllCodes()
  for (const { address, slots } of read.accounts.values()) witness.addRead(address, slots.values())
  return { nodes: [...witness.nodes()], codes: [...read.codes.values()], oldestHash }
}
