// Room for the records of accounts and slots, which stay as long as the execution.
import { CHAIN_HEADER, SPARE } from '../layout'
import { chainEnd, link, shorten } from '../heap'

export let stateBlock: usize = 0
export let stateTop: usize = 0
export let stateEnd: usize = 0

/** The lowest block, which stays. */
@inline
export function beginRecords(): void {
  stateBlock = link(0, 0)
}

@inline
export function forgetRecords(): void {
  stateBlock = shorten(stateBlock)
  stateTop = stateBlock + CHAIN_HEADER
  stateEnd = chainEnd(stateBlock)
}

export function allocate(size: usize): usize {
  let at = stateTop
  if (at + size > stateEnd) {
    const block = link(stateBlock, size)
    if (block == 0) return SPARE
    stateBlock = block
    stateEnd = chainEnd(block)
    at = block + CHAIN_HEADER
  }
  stateTop = at + size
  return at
}
