import { toHex } from '../../src/base/encoding/hex.ts'
import { createInMemoryState } from '../../src/evm/stateTest/testSetup.ts'
import type { FuzzCase } from './cases.ts'
import { logsHash, type Outcome } from './outcome.ts'

/** Cases that once told two implementations apart, as state tests with the right answer; all run in `npm test`. */
export const corpusFolder = new URL('./corpus/', import.meta.url)

/** A case with the expectation filled in, in the format of ethereum/tests. */
export const corpusEntry = (name: string, { test, forkName }: FuzzCase, right: Outcome): string => {
  const [expectation] = test.post[forkName] ?? []
  const filled = right.valid
    ? { ...expectation, hash: right.stateRoot, logs: right.logs }
    : {
        ...expectation,
        hash: toHex(createInMemoryState(test.pre).stateRoot()),
        logs: logsHash([]),
        expectException: 'TransactionException',
      }
  return `${JSON.stringify({ [name]: { ...test, post: { [forkName]: [filled] } } }, undefined, 2)}\n`
}
