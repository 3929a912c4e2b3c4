import { expect, test } from 'vitest'
import type { Hex } from '../../rpc/types.ts'
import type { Step } from './steps.ts'
import { touchedSlots } from './storage.ts'

const own: Hex = '0xaa'
const other: Hex = '0xbb'
const step = (number: number, op: string, stack: readonly Hex[], address = own): Step =>
  ({ step: number, op, stack, address, depth: 1 }) as unknown as Step

test('the slots that an account wrote or read before a step, the newest first', () => {
  const marks = [
    { kind: 'store', step: 2, depth: 1, address: own, slot: '0x1', value: '0x5' },
    { kind: 'store', step: 3, depth: 1, address: other, slot: '0x1', value: '0x6' },
    { kind: 'store', step: 90, depth: 1, address: own, slot: '0x01', value: '0x7' },
    { kind: 'fail', step: 91, depth: 1 },
  ] as const
  const steps = [step(10, 'SLOAD', ['0x9', '0x2']), step(11, 'ADD', ['0x9', '0x33'])]
  expect(touchedSlots(own, 50, marks, steps)).toEqual([
    { slot: '0x2', value: '0x33', step: 10, isWritten: false },
    { slot: '0x1', value: '0x5', step: 2, isWritten: true },
  ])
  // The later write of the same slot counts, however its number is written.
  expect(touchedSlots(own, 91, marks, steps).map(({ value }) => value)).toEqual(['0x7', '0x33'])
  expect(touchedSlots(other, 4, marks, steps)).toHaveLength(1)
  expect(touchedSlots(own, 2, marks, steps)).toEqual([])
})
