// The records of storage slots: how they are found, read from the host, warmed and written.
import {
  A_BASE_FLAGS, A_FLAGS, A_GENERATION, CLEARED, IO_ADDRESS, IO_SLOT, IO_VALUE, S_ACCOUNT, S_BASE, S_DIRTY,
  S_DIRTY_NEXT, S_EPOCH, S_GENERATION, S_KEY, S_ORIGINAL, S_SIZE, S_VALUE, S_WARM, SPARE,
} from '../layout'
import { hostStorage } from '../host'
import { copy, equal } from '../words/u256'
import { fromBytes, toAddressBytes, toBytes } from '../words/bytes'
import { epoch } from './state'
import { allocate } from './records'
import { giveTable, hashSlot, takeTable } from './tables'
import { account, knownAccount } from './accounts'
import { J_SLOT_WARM, J_VALUE, journal } from './journal'
import { listDirty } from './dirty'

export let slotIndex: usize = 0
export let slotMask: u32 = 0
export let slotCount: u32 = 0

/** Where the table has the record of a slot, or has room for it. */
@inline
function placeOf(account: usize, key: usize, generation: u32): usize {
  let h = hashSlot(account, key) & slotMask
  while (true) {
    const at = slotIndex + <usize>h * 4
    const p = <usize>load<u32>(at)
    if (
      p == 0 ||
      (load<u32>(p, S_ACCOUNT) == <u32>account && load<u32>(p, S_GENERATION) == generation && equal(p + S_KEY, key))
    ) return at
    h = (h + 1) & slotMask
  }
}

/** Reads a slot again if it is known. */
export function renewSlot(word: usize, key: usize): void {
  const account = knownAccount(word)
  if (account == 0) return
  const p = <usize>load<u32>(placeOf(account, key, load<u32>(account, A_GENERATION)))
  if (p != 0) readSlot(p, account)
}

@inline
export function giveSlots(): void {
  giveTable(slotIndex, slotMask)
}

@inline
export function forgetSlots(): void {
  slotMask = 1023
  slotIndex = takeTable(slotMask)
  slotCount = 0
}

function growSlots(): void {
  const mask = slotMask * 2 + 1
  const index = takeTable(mask)
  if (index == 0) return
  for (let i: usize = 0; i <= <usize>slotMask; i++) {
    const p = <usize>load<u32>(slotIndex + i * 4)
    if (p == 0) continue
    let h = hashSlot(<usize>load<u32>(p, S_ACCOUNT), p + S_KEY) & mask
    while (load<u32>(index + <usize>h * 4) != 0) h = (h + 1) & mask
    store<u32>(index + <usize>h * 4, <u32>p)
  }
  giveTable(slotIndex, slotMask)
  slotIndex = index
  slotMask = mask
}

/** The record of the slot, with its original value that of this transaction. */
export function slot(account: usize, key: usize): usize {
  const generation = load<u32>(account, A_GENERATION)
  const place = placeOf(account, key, generation)
  const known = <usize>load<u32>(place)
  if (known != 0) {
    if (load<u32>(known, S_EPOCH) != epoch) {
      store<u32>(known, epoch, S_EPOCH)
      copy(known + S_ORIGINAL, known + S_VALUE)
    }
    return known
  }
  const p = allocate(S_SIZE)
  memory.fill(p, 0, S_SIZE)
  store<u32>(p, <u32>account, S_ACCOUNT)
  store<u32>(p, generation, S_GENERATION)
  copy(p + S_KEY, key)
  store<u32>(p, epoch, S_EPOCH)
  if ((load<u32>(account, A_FLAGS) & CLEARED) == 0 && load<u32>(account, A_BASE_FLAGS) != 0) readSlot(p, account)
  if (p == SPARE) return p
  store<u32>(place, <u32>p)
  slotCount++
  if (slotCount * 2 > slotMask) growSlots()
  return p
}

/** Fills a record with what the host has for its slot. */
function readSlot(p: usize, account: usize): void {
  toAddressBytes(account, IO_ADDRESS)
  toBytes(p + S_KEY, IO_SLOT)
  hostStorage(IO_ADDRESS, IO_SLOT, IO_VALUE)
  fromBytes(IO_VALUE, p + S_VALUE)
  copy(p + S_ORIGINAL, p + S_VALUE)
  copy(p + S_BASE, p + S_VALUE)
}

@inline
export function isColdSlot(p: usize): bool {
  return load<u32>(p, S_WARM) != epoch
}

@inline
export function warmSlot(p: usize): bool {
  if (!isColdSlot(p)) return false
  journal(J_SLOT_WARM, p, p + S_WARM, 4)
  store<u32>(p, epoch, S_WARM)
  return true
}

export function setSlot(p: usize, value: usize): void {
  journal(J_VALUE, p, p + S_VALUE, 32)
  copy(p + S_VALUE, value)
  if (load<u32>(p, S_DIRTY) == 0) {
    store<u32>(p, 1, S_DIRTY)
    store<u32>(p, 0, S_DIRTY_NEXT)
    listDirty(p | 1)
  }
}
