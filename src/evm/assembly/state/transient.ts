// Transient storage (EIP-1153), which goes with the transaction.
import { CHAIN_HEADER, T_ACCOUNT, T_KEY, T_SIZE, T_VALUE } from '../layout'
import { chainEnd, link, shorten } from '../heap'
import { copy, equal, set } from '../words/u256'
import { giveTable, hashSlot, takeTable } from './tables'
import { account } from './accounts'
import { J_TRANSIENT, journal } from './journal'

export let transientBlock: usize = 0
export let transientTop: usize = 0
export let transientEnd: usize = 0
export let transientIndex: usize = 0
export let transientMask: u32 = 0
export let transientCount: u32 = 0
/** The table that every transaction begins with. */
export let smallTransient: usize = 0
export const SMALL_TRANSIENT: u32 = 63

/** The lowest block and the smallest table, which stay. */
@inline
export function beginTransient(): void {
  transientBlock = link(0, 0)
  smallTransient = takeTable(SMALL_TRANSIENT)
}

@inline
export function forgetTransient(): void {
  transientBlock = shorten(transientBlock)
  transientTop = transientBlock + CHAIN_HEADER
  transientEnd = chainEnd(transientBlock)
  if (transientIndex != smallTransient && transientIndex != 0) giveTable(transientIndex, transientMask)
  if (transientCount > 0) memory.fill(smallTransient, 0, (<usize>SMALL_TRANSIENT + 1) * 4)
  transientIndex = smallTransient
  transientMask = SMALL_TRANSIENT
  transientCount = 0
}

function growTransient(): void {
  const mask = transientMask * 2 + 1
  const index = takeTable(mask)
  if (index == 0) return
  for (let i: usize = 0; i <= <usize>transientMask; i++) {
    const p = <usize>load<u32>(transientIndex + i * 4)
    if (p == 0) continue
    let h = hashSlot(<usize>load<u32>(p, T_ACCOUNT), p + T_KEY) & mask
    while (load<u32>(index + <usize>h * 4) != 0) h = (h + 1) & mask
    store<u32>(index + <usize>h * 4, <u32>p)
  }
  if (transientIndex != smallTransient) giveTable(transientIndex, transientMask)
  transientIndex = index
  transientMask = mask
}

function findTransient(account: usize, key: usize, make: bool): usize {
  let h = hashSlot(account, key) & transientMask
  while (true) {
    const p = <usize>load<u32>(transientIndex + <usize>h * 4)
    if (p == 0) break
    if (load<u32>(p, T_ACCOUNT) == <u32>account && equal(p + T_KEY, key)) return p
    h = (h + 1) & transientMask
  }
  if (!make) return 0
  let p = transientTop
  if (p + T_SIZE > transientEnd) {
    const block = link(transientBlock, 0)
    if (block == 0) return 0
    transientBlock = block
    transientEnd = chainEnd(block)
    p = block + CHAIN_HEADER
  }
  transientTop = p + T_SIZE
  store<u32>(p, <u32>account, T_ACCOUNT)
  copy(p + T_KEY, key)
  set(p + T_VALUE, 0)
  store<u32>(transientIndex + <usize>h * 4, <u32>p)
  transientCount++
  if (transientCount * 2 > transientMask) growTransient()
  return p
}

export function loadTransient(account: usize, key: usize, out: usize): void {
  const p = findTransient(account, key, false)
  if (p == 0) set(out, 0)
  else copy(out, p + T_VALUE)
}

export function storeTransient(account: usize, key: usize, value: usize): void {
  const p = findTransient(account, key, true)
  if (p == 0) return
  journal(J_TRANSIENT, p, p + T_VALUE, 32)
  copy(p + T_VALUE, value)
}
