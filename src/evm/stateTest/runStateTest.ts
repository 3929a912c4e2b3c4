import { readFileSync } from 'node:fs'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { encodeRlp } from '../../base/encoding/rlp.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import { TransactionError } from '../../chain/transaction/transaction.ts'
import type { Evm } from '../evm.ts'
import { toTransactionFields } from '../transaction/fields.ts'
import type { InvalidTransaction, TransactionResult } from '../types.ts'
import { isExpectedException } from './exceptions.ts'
import { parseForkName } from './forkNames.ts'
import type { TestState } from './inMemoryState.ts'
import { type Expectation, type StateTest, stateTestFile } from './testFormat.ts'
import { createInMemoryState, toTestBlockContext, toTransaction } from './testSetup.ts'
import { toInteger } from './testValues.ts'

/** The result of one case: one transaction at one fork. */
export interface CaseResult {
  readonly name: string
  readonly fork: string
  /** The index among the fork's expectations. */
  readonly index: number
  readonly pass: boolean
  readonly stateRoot: string
  readonly error?: string
}

const logsHash = (logs: readonly Log[]): string =>
  toHex(keccak256(encodeRlp(logs.map(({ address, topics, data }) => [address, topics, data]))))

/** The outcome of a transaction that cannot be decoded. */
interface Malformed {
  readonly valid: false
  readonly malformed: string
}

type Outcome = TransactionResult | InvalidTransaction | Malformed

const execute = (
  evm: Evm,
  test: StateTest,
  forkName: string,
  fork: Fork,
  expected: Expectation,
  state: TestState,
): Outcome => {
  try {
    const { transaction, sender } = toTransaction(test.transaction, expected, fork)
    const chainId = toInteger(test.config?.chainid ?? '0x1')
    const block = toTestBlockContext(test, forkName, fork)
    const execution = evm.createExecution({ fork, chainId, evmState: state, block })
    const outcome = execution.transact(toTransactionFields(transaction), sender)
    if (outcome.valid) state.apply(execution.drainChanges())
    return outcome
  } catch (error) {
    if (error instanceof TransactionError) return { valid: false, malformed: error.message }
    throw error
  }
}

const findMismatch = (outcome: Outcome, stateRoot: string, expected: Expectation): string | undefined => {
  if (expected.expectException !== undefined) {
    if (outcome.valid) return `executed, but expected ${expected.expectException}`
    if ('reason' in outcome && !isExpectedException(expected.expectException, outcome.reason))
      return `rejected for "${outcome.reason}", but expected ${expected.expectException}`
  } else {
    if (!outcome.valid) return `rejected: ${'reason' in outcome ? outcome.reason : outcome.malformed}`
    if (logsHash(outcome.logs) !== expected.logs) return 'logs differ'
  }
  return stateRoot === expected.hash ? undefined : `state root is not ${expected.hash}`
}

/**
 * Returns the state's root after a reward of zero for the block's beneficiary, as when the tests were generated: before
 * Spurious Dragon that makes the account. A block whose only transaction is rejected has the reward too in older tests,
 * and none in those that geth 1.17 and execution-specs fill; either is right.
 */
const rootAfter = (
  state: TestState,
  outcome: Outcome,
  coinbase: Uint8Array,
  fork: Fork,
  expected: Expectation,
): string => {
  const untouched = outcome.valid ? undefined : toHex(state.stateRoot())
  if (untouched === expected.hash) return expected.hash
  state.touch(coinbase, since(fork, 'spuriousDragon'))
  return toHex(state.stateRoot())
}

/** Runs one case over a state with the accounts of the test. */
const runCase = (
  evm: Evm,
  test: StateTest,
  forkName: string,
  expected: Expectation,
  state: TestState,
): Omit<CaseResult, 'name' | 'fork' | 'index'> => {
  const fork = parseForkName(forkName)
  if (fork === undefined) return { pass: false, stateRoot: '0x', error: `fork ${forkName} is not known` }
  const outcome = execute(evm, test, forkName, fork, expected, state)
  const stateRoot = rootAfter(
    state,
    outcome,
    toTestBlockContext(test, forkName, fork).coinbase,
    fork,
    expected,
  )
  const error = findMismatch(outcome, stateRoot, expected)
  return error === undefined ? { pass: true, stateRoot } : { pass: false, stateRoot, error }
}

/** Runs all cases of one test, each over a new state with the same accounts. */
export function* runStateTest(
  evm: Evm,
  { name, test }: NamedTest,
  createState: () => TestState,
): Generator<CaseResult> {
  for (const [fork, expectations] of Object.entries(test.post))
    for (const [index, expected] of expectations.entries()) {
      try {
        yield { name, fork, index, ...runCase(evm, test, fork, expected, createState()) }
      } catch (error) {
        yield { name, fork, index, pass: false, stateRoot: '0x', error: `the EVM threw: ${error}` }
      }
    }
}

export interface NamedTest {
  readonly name: string
  readonly test: StateTest
}

/** Returns the tests of a file, which may hold more than one. */
export const readStateTestFile = (file: string): NamedTest[] =>
  Object.entries(stateTestFile.parse(JSON.parse(readFileSync(file, 'utf8')))).map(([name, test]) => ({
    name,
    test,
  }))

/** Runs all cases of a file over states in memory. */
export const runStateTestFile = (evm: Evm, file: string): CaseResult[] =>
  readStateTestFile(file).flatMap((named) => [
    ...runStateTest(evm, named, () => createInMemoryState(named.test.pre)),
  ])
