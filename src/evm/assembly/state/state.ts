// Accounts, storage, transient storage and logs of one execution, with a journal that takes changes back.
// Records are found through open-addressed tables; the host is asked on the first touch only. Per-transaction
// marks (warm, created, destroyed, touched) are epochs: the number of the transaction that set them. An execution that
// takes back what it did can go on with a later state: only what differs there is read again.
import { A_LISTED_NEXT, A_SIZE, A_TOUCHED, MEMORY_END, READS, S_SIZE, SPURIOUS } from '../layout'
import { hostRead } from '../host'
import { beginJournal, forgetJournal } from './journal'
import { beginLogs, setLogs } from './logs'
import { exists, firstListed, forgetTouched, isDestroyed, isEmpty, remove } from './changes'
import { clearDirty } from './dirty'
import { beginRecords, forgetRecords, stateBlock } from './records'
import { accountCount, forgetAccounts, giveAccounts } from './accounts'
import { forgetSlots, giveSlots, slotCount } from './slots'
import { beginTransient, forgetTransient } from './transient'

export let fork: i32 = 0
export let epoch: u32 = 1
export let refund: i64 = 0
/** Set when a region is full or the host says stop: everything unwinds. */
export let interrupted: i32 = 0

export function setFork(value: i32): void {
  fork = value
}

export function interrupt(reason: i32): void {
  if (interrupted == 0) interrupted = reason
}

export function addRefund(amount: i64): void {
  refund += amount
}

export function setRefund(amount: i64): void {
  refund = amount
}

/** The lowest blocks and smallest tables, which stay. There is room for them: the heap begins larger. */
function begin(): void {
  beginJournal()
  beginLogs()
  beginRecords()
  beginTransient()
}

/** Forgets everything: a new execution over perhaps another state begins. */
export function resetState(): void {
  if (stateBlock == 0) begin()
  else {
    giveAccounts()
    giveSlots()
  }
  forgetRecords()
  forgetAccounts()
  forgetSlots()
  clearDirty()
  epoch = 1
  beginTransaction()
}

export function beginTransaction(): void {
  epoch++
  interrupted = 0
  refund = 0
  forgetJournal()
  setLogs(0, 0)
  forgetTouched()
  forgetTransient()
}

/** What the records of accounts and slots take; as much as there is when the numbers of transactions come to an end. */
export function stateBytes(): u32 {
  return epoch > 1 << 30 ? <u32>MEMORY_END : accountCount * <u32>A_SIZE + slotCount * <u32>S_SIZE
}

/** Destroyed accounts and, from Spurious Dragon on, touched empty ones go. */
export function endTransaction(): void {
  for (let p = firstListed; p != 0; p = <usize>load<u32>(p, A_LISTED_NEXT)) {
    if (load<u32>(p, A_TOUCHED) != epoch) continue
    if (isDestroyed(p)) remove(p)
    else if (fork >= SPURIOUS && exists(p) && isEmpty(p)) remove(p)
  }
  forgetJournal()
}

/** What was looked at, for tracers. */
export function noteRead(kind: i32, account: usize, slot: usize, value: usize): void {
  if (TRACED && load<u8>(READS) != 0) hostRead(kind, account, slot, value)
}
