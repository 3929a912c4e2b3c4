import { expect, test } from 'vitest'
import { exampleChainInfo } from '../../../test/gateway/conversion/exampleBlocks.ts'
import { trieProofs } from '../../families/perihelion.ts'
import { ics23Proofs } from '../../light/state/ics23Proofs.ts'
import { createThreadLog } from '../follow/threadLog.ts'
import { provenStates } from './provenStates.ts'

const hash = new Uint8Array(32)

const setUp = (kind: typeof ics23Proofs) => {
  const at = { head: 10, isHeadConfirmed: false, oldest: 0 }
  const states = provenStates({
    kind,
    chainInfo: exampleChainInfo,
    isHeadConfirmed: () => at.isHeadConfirmed,
    blocks: {
      header: (height) =>
        height >= at.oldest && height <= at.head ? ({ stateRoot: hash } as never) : undefined,
      blockHashAt: (height) => (height <= at.head ? hash : undefined),
    },
    nativeBlockInfo: { summaryAt: () => ({ appHash: hash }) as never, nativeHashAt: () => undefined },
    headNumber: () => at.head,
    log: createThreadLog(() => undefined),
  })
  return { at, canProve: (height: number): boolean => states.canProveMore('newest', height) }
}

test.each([ics23Proofs, trieProofs])(
  'the application hash beside the newest block proves nothing until the next header confirms it',
  (kind) => {
    const { at, canProve } = setUp(kind)
    // As after a restart: the head was stored by another run, which may have believed a node.
    expect([canProve(9), canProve(10)]).toEqual([true, false])
    Object.assign(at, { head: 11, isHeadConfirmed: true })
    expect([canProve(10), canProve(11), canProve(12)]).toEqual([true, true, false])
    at.isHeadConfirmed = false
    expect(canProve(11)).toBe(false)
  },
)

test('the lowest state that is proven is that of the kind of proofs', () => {
  const lowestOf = (kind: typeof ics23Proofs): number => [0, 1, 2, 3].findIndex(setUp(kind).canProve)
  expect([lowestOf(ics23Proofs), lowestOf(trieProofs)]).toEqual([3, 1])
})

test('a state whose header is not kept any more cannot be proven by it', () => {
  const { at, canProve } = setUp(trieProofs)
  at.oldest = 5
  expect([canProve(4), canProve(5)]).toEqual([false, true])
})
