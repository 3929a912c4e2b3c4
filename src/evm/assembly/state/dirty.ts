// What was written since the host last asked.
import { A_DIRTY_NEXT, S_DIRTY_NEXT } from '../layout'

/** What was written since the host last asked, in its order; the lowest bit tells slots from accounts. */
export let firstDirty: usize = 0
export let lastDirty: usize = 0

export function listDirty(tagged: usize): void {
  if (lastDirty == 0) firstDirty = tagged
  else if ((lastDirty & 1) != 0) store<u32>(lastDirty - 1, <u32>tagged, S_DIRTY_NEXT)
  else store<u32>(lastDirty, <u32>tagged, A_DIRTY_NEXT)
  lastDirty = tagged
}

export function clearDirty(): void {
  firstDirty = 0
  lastDirty = 0
}
