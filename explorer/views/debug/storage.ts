import type { Hex } from '../../rpc/types.ts'
import type { Mark, Step } from './steps.ts'

/** A slot that the account of a step has read or written by then. */
export interface TouchedSlot {
  readonly slot: string
  readonly value: string
  readonly step: number
  readonly isWritten: boolean
}

const word = (value: string): string => value.slice(2).padStart(64, '0')

/** What is written without the zeros before it is the same slot. */
const keyOf = (slot: string): string => BigInt(slot).toString(16)

/**
 * The slots of an account that were touched before a step, the newest first: what it wrote in the whole transaction, and
 * what it read in the steps that are loaded. The value that is read shows at the step after it.
 */
export const touchedSlots = (
  address: Hex,
  at: number,
  marks: readonly Mark[],
  steps: readonly Step[],
): readonly TouchedSlot[] => {
  const touched: TouchedSlot[] = []
  for (const { kind, step, address: owner, slot, value } of marks)
    if (kind === 'store' && step < at && owner === address && slot !== undefined && value !== undefined)
      touched.push({ slot, value, step, isWritten: true })
  for (const [index, one] of steps.entries()) {
    if (one.op !== 'SLOAD' || one.address !== address || one.step >= at) continue
    const after = steps[index + 1]
    const slot = one.stack.at(-1)
    const value = after?.depth === one.depth ? after.stack.at(-1) : undefined
    if (slot !== undefined && value !== undefined)
      touched.push({ slot, value, step: one.step, isWritten: false })
  }
  const newest = new Map<string, TouchedSlot>()
  for (const one of touched.sort((a, b) => a.step - b.step)) {
    newest.delete(keyOf(one.slot))
    newest.set(keyOf(one.slot), one)
  }
  return [...newest.values()].reverse()
}

/** A slot or a value as 32 bytes. */
export const asWord = (value: string): Hex => `0x${word(value)}`
