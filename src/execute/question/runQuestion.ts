import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type {
  AccessListOutcome,
  CallOutcome,
  EstimateOutcome,
  WitnessQuestion,
} from '../../chain/port/executor.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import type { SimulationOutcome } from '../../chain/state/simulation.ts'
import type { Evm } from '../../evm/evm.ts'
import type { ExecutionBudget } from '../call/budget.ts'
import { CallEnvironment, type StateAndHeader } from '../call/callEnvironment.ts'
import { createAccessList } from '../call/createAccessList.ts'
import { estimateGas } from '../call/estimate.ts'
import { runCall } from '../call/runCall.ts'
import { simulate } from '../simulate/simulate.ts'

export interface QuestionDependencies {
  readonly evm: Evm
  readonly config: ChainConfig
  readonly gasCap: bigint
  /** Returns the state root after changes, which simulated headers hold. */
  readonly rootAfter: (changes: StateChanges) => Uint8Array
}

export type QuestionOutcome =
  | { readonly kind: 'call'; readonly outcome: CallOutcome }
  | { readonly kind: 'estimate'; readonly outcome: EstimateOutcome }
  | { readonly kind: 'accessList'; readonly outcome: AccessListOutcome }
  | { readonly kind: 'simulate'; readonly outcome: SimulationOutcome }

/** Runs a request on a state, which may be one that knows only what was proven of it. */
export const runQuestion = (
  dependencies: QuestionDependencies,
  base: StateAndHeader,
  question: WitnessQuestion,
  budget: ExecutionBudget,
): QuestionOutcome => {
  const { evm, config, gasCap } = dependencies
  if (question.kind === 'simulate')
    return {
      kind: 'simulate',
      outcome: simulate({ ...dependencies, budget }, base, question.simulation),
    }
  const { kind, call } = question
  const { request, ...overrides } = call
  const environment = new CallEnvironment(evm, config, base, overrides)
  switch (kind) {
    case 'call':
      return { kind, outcome: runCall(environment, request, gasCap, budget) }
    case 'estimate':
      return { kind, outcome: estimateGas(environment, request, gasCap, budget) }
    case 'accessList':
      return { kind, outcome: createAccessList(environment, request, gasCap, budget) }
  }
}
