import { signalOf } from '../../base/async/waiter.ts'
import { headerNotFound } from '../../chain/chainError.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Executor, WitnessQuestion } from '../../chain/port/executor.ts'
import type { QuestionOutcome } from '../../execute/question/runQuestion.ts'
import type { ProvenCalls } from './provenCalls.ts'

interface ProvenExecutorDependencies {
  /** The executor that asks nodes, for what cannot be proven. */
  readonly base: Executor
  readonly calls: Pick<ProvenCalls, 'run' | 'count'>
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  readonly headNumber: () => number
  /** Whether a header that is there commits to the state after a block. */
  readonly isProvable: (height: number) => boolean
}

type OutcomeOf<Kind extends QuestionOutcome['kind']> = Extract<
  QuestionOutcome,
  { readonly kind: Kind }
>['outcome']

/** Creates an executor that runs calls here where the state is proven. `pending` is the newest block that is served. */
export const createProvenExecutor = ({
  base,
  calls,
  resolve,
  headNumber,
  isProvable,
}: ProvenExecutorDependencies): Executor => {
  const prove = async <Kind extends QuestionOutcome['kind']>(
    question: WitnessQuestion & { readonly kind: Kind },
    at: BlockRef,
    signal: AbortSignal,
    believe: () => Promise<OutcomeOf<Kind>> | OutcomeOf<Kind>,
  ): Promise<OutcomeOf<Kind>> => {
    const found = resolve(at)
    if (found === undefined) throw headerNotFound()
    const height = found === 'pending' ? headNumber() : found
    if (!isProvable(height)) {
      calls.count('believed')
      return believe()
    }
    // The outcome is of the kind that was requested.
    return (await calls.run(question, height, signal)).outcome as OutcomeOf<Kind>
  }

  return {
    call: (call, at, waiter) =>
      prove({ kind: 'call', call }, at, signalOf(waiter), () => base.call(call, at, waiter)),
    estimateGas: (call, at, waiter) =>
      prove({ kind: 'estimate', call }, at, signalOf(waiter), () => base.estimateGas(call, at, waiter)),
    createAccessList: (call, at, signal) =>
      prove({ kind: 'accessList', call }, at, signal, () => base.createAccessList(call, at, signal)),
    simulate: (simulation, at, signal) =>
      prove({ kind: 'simulate', simulation }, at, signal, () => base.simulate(simulation, at, signal)),
    callMany: (...asked) => base.callMany(...asked),
    witness: (...asked) => base.witness(...asked),
    stateBefore: (...asked) => base.stateBefore(...asked),
  }
}
