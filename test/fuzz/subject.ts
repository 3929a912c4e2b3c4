import { toHex } from '../../src/base/encoding/hex.ts'
import type { Evm } from '../../src/evm/evm.ts'
import { createInMemoryState, toTestBlockContext, toTransaction } from '../../src/evm/stateTest/testSetup.ts'
import { toTransactionFields } from '../../src/evm/transaction/fields.ts'
import type { Tracer } from '../../src/evm/types.ts'
import type { FuzzCase } from './cases.ts'
import { logsHash, type Outcome, refused } from './outcome.ts'

/** A case on our machine: the plain build, or the traced one where a tracer is given. */
export const runOnMachine = (machine: Evm, { test, fork, forkName }: FuzzCase, tracer?: Tracer): Outcome => {
  const evmState = createInMemoryState(test.pre)
  const [expectation] = test.post[forkName] ?? []
  if (expectation === undefined) throw new Error('the case has no transaction')
  const { transaction, sender } = toTransaction(test.transaction, expectation, fork)
  const block = toTestBlockContext(test, forkName, fork)
  const context = { fork, chainId: 1n, evmState, block, ...(tracer === undefined ? {} : { tracer }) }
  const execution = machine.createExecution(context)
  const result = execution.transact(toTransactionFields(transaction), sender)
  if (!result.valid) return refused
  evmState.apply(execution.drainChanges())
  return {
    valid: true,
    success: result.success,
    error: result.error ?? '',
    gasUsed: result.gasUsed.toString(),
    output: toHex(result.output),
    logs: logsHash(result.logs.map(({ address, topics, data }) => [address, topics, data] as const)),
    stateRoot: toHex(evmState.stateRoot()),
  }
}
