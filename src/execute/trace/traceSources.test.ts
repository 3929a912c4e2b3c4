import { expect, test } from 'vitest'
import type { ChainError } from '../../chain/chainError.ts'
import { isBlockNotFound } from '../../chain/trace/traceErrors.ts'
import type { RunnerDependencies } from '../tasks/runnerDependencies.ts'
import { TraceSources } from './traceSources.ts'
import type { TraceTask } from './traceTask.ts'

const hashOf = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)

const open = (hashes: readonly Uint8Array[]): TraceSources =>
  new TraceSources({
    state: { parentState: () => ({}) },
    blocks: {
      blockHashAt: (height: number) => hashes[height],
      header: () => ({}),
      rawTransactions: () => [],
      senders: () => undefined,
    },
  } as unknown as RunnerDependencies) // what is read

const task = {
  block: { height: 0, hash: hashOf(1), pending: undefined },
  nextHash: hashOf(2),
} as unknown as TraceTask // what is read

test('a block that took the place of the one that was asked about is not traced', () => {
  expect(open([hashOf(1), hashOf(2)]).stored(task)).toHaveProperty('rawTransactions')
  for (const hashes of [[hashOf(1), hashOf(3)], [hashOf(1)], [hashOf(4), hashOf(2)]])
    expect(() => open(hashes).stored(task)).toThrow(
      expect.toSatisfy((error: ChainError) => isBlockNotFound(error)),
    )
})
