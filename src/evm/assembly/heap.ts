// Room that grows: blocks of powers of two from the heap, and above the heap the arena, which holds the input of the
// top call and the memories of the frames. The heap grows by moving the arena up, so that a pointer into the arena
// holds only until the next block is taken; blocks of the heap never move.
import {
  ARENA_SLACK, CHAIN_BLOCK, CHAIN_HEADER, F_INPUT, F_INPUTLEN, F_MEM, FRAME_SIZE, FRAMES, FREE_BLOCKS, HEAP,
  HEAP_START, MEMORY_END, MEMORY_LIMIT,
} from './layout'
import { frame } from './frames/frames'
import { memBase, memSize, setMemory } from './gas'
import { interrupt } from './state/state'

let heapTop: usize = HEAP
/** Where the arena begins. */
export let arena: usize = HEAP + HEAP_START
/** The heap grows by at least so much, or by a quarter of itself. */
const STEP: usize = 1 << 22
const SMALLEST: u32 = 6
const LARGEST: usize = 1 << 30

@inline
function classOf(size: usize): u32 {
  return max<u32>(SMALLEST, 32 - clz<u32>(<u32>size - 1))
}

/** Linear memory reaches at least to `end`; false when that is more than there may be. */
export function ensureMemory(end: u64): bool {
  if (end > <u64>MEMORY_END) return false
  const pages = <i32>((end + 0xffff) >> 16)
  const have = memory.size()
  if (pages <= have) return true
  // More than is asked for, as far as there is more: growth is a call of the system.
  return memory.grow(max(pages - have, have >> 3)) >= 0 || memory.grow(pages - have) >= 0
}

function moveArena(by: usize): bool {
  const end = memBase + <usize>memSize
  const used = end > arena ? end - arena : 0
  if (!ensureMemory(<u64>arena + <u64>used + <u64>by + <u64>ARENA_SLACK)) return false
  memory.copy(arena + by, arena, used)
  for (let f = FRAMES; f <= frame; f += FRAME_SIZE) {
    store<u32>(f, load<u32>(f, F_MEM) + <u32>by, F_MEM)
    if (load<u32>(f, F_INPUTLEN) != 0) store<u32>(f, load<u32>(f, F_INPUT) + <u32>by, F_INPUT)
  }
  arena += by
  setMemory(memBase + by, memSize)
  return true
}

/** What a block for so many bytes takes. */
@inline
export function blockSize(size: usize): usize {
  return <usize>1 << classOf(size)
}

/** From here the next block of at most this size comes without a move of the arena; false when there is no room. */
export function secure(size: usize): bool {
  if (size > LARGEST) return false
  const block = blockSize(size)
  const end = heapTop + block
  if (end <= arena) return true
  const need = (end - arena + 0xffff) & ~0xffff
  const wish = max(need, max(STEP, ((heapTop - HEAP) >> 2) & ~0xffff))
  const room = MEMORY_END - ARENA_SLACK - memBase - <usize>memSize
  if (MEMORY_END - ARENA_SLACK < memBase + <usize>memSize || room < need) return false
  return moveArena(min(wish, room))
}

/** A block of at least so many bytes, with whatever was in it; 0, and an interrupt, when there is no room. */
export function take(size: usize): usize {
  const list = FREE_BLOCKS + <usize>classOf(size) * 4
  const free: usize = size > LARGEST ? 0 : <usize>load<u32>(list)
  if (free != 0) {
    store<u32>(list, load<u32>(free))
    return free
  }
  if (!secure(size)) {
    interrupt(MEMORY_LIMIT)
    return 0
  }
  const at = heapTop
  heapTop += blockSize(size)
  return at
}

/** Gives a block back that was taken for so many bytes. */
export function give(at: usize, size: usize): void {
  const list = FREE_BLOCKS + <usize>classOf(size) * 4
  store<u32>(at, load<u32>(list))
  store<u32>(list, <u32>at)
}

// Chains of blocks: records of one kind lie behind each other in blocks that are given back together.

/** A block for at least so many bytes on top of the chain; 0 when there is no room. */
export function link(chain: usize, size: usize): usize {
  const whole = max(CHAIN_BLOCK, size + CHAIN_HEADER)
  const block = take(whole)
  if (block == 0) return 0
  store<u32>(block, <u32>chain)
  store<u32>(block, <u32>whole, 4)
  return block
}

@inline
export function chainEnd(block: usize): usize {
  return block + <usize>load<u32>(block, 4)
}

/** Gives the top block back; the one below it. */
export function unlink(block: usize): usize {
  const below = <usize>load<u32>(block)
  give(block, <usize>load<u32>(block, 4))
  return below
}

/** Gives all blocks of the chain back but the lowest, which it returns. */
export function shorten(chain: usize): usize {
  while (load<u32>(chain) != 0) chain = unlink(chain)
  return chain
}
