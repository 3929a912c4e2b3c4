import { expect, test } from 'vitest'
import { exampleChainInfo } from '../../../../test/gateway/conversion/exampleBlocks.ts'
import { createThreadLog } from '../../follow/threadLog.ts'
import { provenStates } from './provenStates.ts'

test('the application hash beside the newest block proves nothing until the next header confirms it', () => {
  let [head, isHeadConfirmed] = [10, false]
  const states = provenStates({
    chainInfo: exampleChainInfo,
    isHeadConfirmed: () => isHeadConfirmed,
    blocks: {
      header: (height) => (height <= head ? ({ stateRoot: new Uint8Array(32) } as never) : undefined),
      blockHashAt: () => undefined,
    },
    nativeBlockInfo: { at: () => ({ appHash: new Uint8Array(32) }) as never },
    headNumber: () => head,
    log: createThreadLog(() => undefined),
  })
  const canProve = (height: number): boolean => states.canProveMore('newest', height)
  // As after a restart: the head was stored by another run, which may have believed a node.
  expect([canProve(9), canProve(10)]).toEqual([true, false])
  ;[head, isHeadConfirmed] = [11, true]
  expect([canProve(10), canProve(11), canProve(12)]).toEqual([true, true, false])
  isHeadConfirmed = false
  expect(canProve(11)).toBe(false)
})
