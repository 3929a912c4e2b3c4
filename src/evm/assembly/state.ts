// Accounts, storage, transient storage and logs of one execution, with a journal that takes changes back.
// Records are found through open-addressed tables; the host is asked on the first touch only. Per-transaction
// marks (warm, created, destroyed, touched) are epochs: the number of the transaction that set them.
import {
  A_BALANCE, A_BASE_FLAGS, A_BASE_GENERATION, A_BASE_NONCE, A_CODE, A_CODEHASH, A_CREATED, A_DESTROYED,
  A_DIRTY, A_DIRTY_NEXT, A_FLAGS, A_GENERATION, A_LISTED, A_LISTED_NEXT, A_NEXT, A_NONCE, A_SAVED, A_SAVED_LENGTH,
  A_SIZE, A_TOUCHED, A_WARM, CHAIN_HEADER, CLEARED, EXISTS, IO_ACCOUNT, IO_ADDRESS, IO_SLOT, IO_VALUE, MEMORY_END, MOVED, PRECOMPILE_LIMIT,
  PRECOMPILES, S_ACCOUNT, S_BASE, S_DIRTY, S_DIRTY_NEXT, S_EPOCH, S_GENERATION, S_KEY, S_ORIGINAL, S_SIZE, S_VALUE,
  S_WARM, SPARE, SPURIOUS, T_ACCOUNT, T_KEY, T_SIZE, T_VALUE,
} from './layout'
import { chainEnd, give, link, shorten, take, unlink } from './heap'
import { hostAccount, hostHasStorage, hostRead, hostStorage } from './host'
import { add, copy, equal, isZero, set, sub, toAddressBytes, toBytes, fromBytes } from './u256'

export let fork: i32 = 0
export let epoch: u32 = 1
export let refund: i64 = 0
/** Set when a region is full or the host says stop: everything unwinds. */
export let interrupted: i32 = 0
let seed: u64 = 0x9e3779b97f4a7c15
/** Odd, and known to nobody either. */
let factor: u64 = 0xc4ceb9fe1a85ec53

/** The end of the journal, in its top block. */
export let journalTop: usize = 0
let journalBlock: usize = 0
let journalEnd: usize = 0
/** The newest log, which tells the one before it. */
export let lastLog: usize = 0
export let logCount: u32 = 0
let logBlock: usize = 0
let firstListed: usize = 0
/** What was written since the host last asked, in its order; the lowest bit tells slots from accounts. */
export let firstDirty: usize = 0
let lastDirty: usize = 0

let stateBlock: usize = 0
let stateTop: usize = 0
let stateEnd: usize = 0
let accountIndex: usize = 0
let accountMask: u32 = 0
let accountCount: u32 = 0
let slotIndex: usize = 0
let slotMask: u32 = 0
let slotCount: u32 = 0
let firstAccount: usize = 0

let transientBlock: usize = 0
let transientTop: usize = 0
let transientEnd: usize = 0
let transientIndex: usize = 0
let transientMask: u32 = 0
let transientCount: u32 = 0
/** The table that every transaction begins with. */
let smallTransient: usize = 0
const SMALL_TRANSIENT: u32 = 63

// keccak256 of no bytes, as stored bytes
export const EMPTY_HASH = memory.data<u8>([
  0xc5, 0xd2, 0x46, 0x01, 0x86, 0xf7, 0x23, 0x3c, 0x92, 0x7e, 0x7d, 0xb2, 0xdc, 0xc7, 0x03, 0xc0,
  0xe5, 0x00, 0xb6, 0x53, 0xca, 0x82, 0x27, 0x3b, 0x7b, 0xfa, 0xd8, 0x04, 0x5d, 0x85, 0xa4, 0x70,
])

export function setFork(value: i32): void {
  fork = value
}

export function setSeed(value: u64): void {
  seed = value
  factor = rotl(value * 0x9e3779b97f4a7c15, 31) | 1
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

/** Where a log of so many bytes goes; 0 when there is no room. */
export function addLog(size: usize): usize {
  let at = lastLog == 0 ? logBlock + CHAIN_HEADER : logEnd(lastLog)
  if (at + size > chainEnd(logBlock)) {
    const block = link(logBlock, size)
    if (block == 0) return 0
    logBlock = block
    at = block + CHAIN_HEADER
  }
  store<u32>(at, <u32>lastLog, 12)
  lastLog = at
  logCount++
  return at
}

@inline
function logEnd(log: usize): usize {
  return (log + 16 + <usize>load<u32>(log, 4) * 32 + <usize>load<u32>(log, 8) + 7) & ~7
}

/** Drops the logs after `last`. */
export function setLogs(last: usize, count: u32): void {
  if (last == 0) logBlock = shorten(logBlock)
  else while (last < logBlock || last >= chainEnd(logBlock)) logBlock = unlink(logBlock)
  lastLog = last
  logCount = count
}

function allocate(size: usize): usize {
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

/** A table of so many entries, all empty; 0 when there is no room. */
export function takeTable(mask: u32): usize {
  const size = (<usize>mask + 1) * 4
  const table = take(size)
  if (table != 0) memory.fill(table, 0, size)
  return table
}

export function giveTable(table: usize, mask: u32): void {
  give(table, (<usize>mask + 1) * 4)
}

/** The lowest blocks and smallest tables, which stay. There is room for them: the heap begins larger. */
function begin(): void {
  journalBlock = link(0, 0)
  logBlock = link(0, 0)
  stateBlock = link(0, 0)
  transientBlock = link(0, 0)
  smallTransient = takeTable(SMALL_TRANSIENT)
}

/** Forgets everything: a new execution over perhaps another state begins. */
export function resetState(): void {
  if (stateBlock == 0) begin()
  else {
    giveTable(accountIndex, accountMask)
    giveTable(slotIndex, slotMask)
  }
  stateBlock = shorten(stateBlock)
  stateTop = stateBlock + CHAIN_HEADER
  stateEnd = chainEnd(stateBlock)
  accountMask = 255
  accountIndex = takeTable(accountMask)
  accountCount = 0
  firstAccount = 0
  slotMask = 1023
  slotIndex = takeTable(slotMask)
  slotCount = 0
  firstDirty = 0
  lastDirty = 0
  epoch = 1
  beginTransaction()
}

export function beginTransaction(): void {
  epoch++
  interrupted = 0
  refund = 0
  forgetJournal()
  setLogs(0, 0)
  firstListed = 0
  transientBlock = shorten(transientBlock)
  transientTop = transientBlock + CHAIN_HEADER
  transientEnd = chainEnd(transientBlock)
  if (transientIndex != smallTransient && transientIndex != 0) giveTable(transientIndex, transientMask)
  if (transientCount > 0) memory.fill(smallTransient, 0, (<usize>SMALL_TRANSIENT + 1) * 4)
  transientIndex = smallTransient
  transientMask = SMALL_TRANSIENT
  transientCount = 0
}

/**
 * Keys are chosen by whoever wants them to collide. A product moves differences up only, and one of the highest bit not
 * at all: so the upper half comes down and is multiplied once more, by a number that nobody knows.
 */
@inline
function mix(h: u64, x: u64): u64 {
  h = (h ^ x) * 0xff51afd7ed558ccd
  h = (h ^ (h >> 32)) * factor
  return h ^ (h >> 29)
}

@inline
function hashAddress(a0: u64, a1: u64, a2: u32): u32 {
  return <u32>mix(mix(mix(seed, a0), a1), <u64>a2)
}

@inline
function hashSlot(account: usize, key: usize): u32 {
  let h = mix(seed ^ <u64>account, load<u64>(key))
  h = mix(h, load<u64>(key, 8))
  h = mix(h, load<u64>(key, 16))
  return <u32>mix(h, load<u64>(key, 24))
}

/** Of 32 bytes. */
export function hashBytes(at: usize): u32 {
  return hashSlot(0, at)
}

function growAccounts(): void {
  const mask = accountMask * 2 + 1
  const index = takeTable(mask)
  if (index == 0) return
  for (let i: usize = 0; i <= <usize>accountMask; i++) {
    const p = <usize>load<u32>(accountIndex + i * 4)
    if (p == 0) continue
    let h = hashAddress(load<u64>(p), load<u64>(p, 8), load<u32>(p, 16)) & mask
    while (load<u32>(index + <usize>h * 4) != 0) h = (h + 1) & mask
    store<u32>(index + <usize>h * 4, <u32>p)
  }
  giveTable(accountIndex, accountMask)
  accountIndex = index
  accountMask = mask
}

/** The record of the address in the lowest 20 bytes of the word; read from the host when it is new. */
export function account(word: usize): usize {
  const a0 = load<u64>(word)
  const a1 = load<u64>(word, 8)
  const a2 = load<u32>(word, 16)
  let h = hashAddress(a0, a1, a2) & accountMask
  while (true) {
    const p = <usize>load<u32>(accountIndex + <usize>h * 4)
    if (p == 0) break
    if (load<u64>(p) == a0 && load<u64>(p, 8) == a1 && load<u32>(p, 16) == a2) return p
    h = (h + 1) & accountMask
  }
  const p = allocate(A_SIZE)
  memory.fill(p, 0, A_SIZE)
  store<u64>(p, a0)
  store<u64>(p, a1, 8)
  store<u32>(p, a2, 16)
  readAccount(p)
  if (p == SPARE) return p
  store<u32>(accountIndex + <usize>h * 4, <u32>p)
  store<u32>(p, <u32>firstAccount, A_NEXT)
  firstAccount = p
  accountCount++
  if (accountCount * 2 > accountMask) growAccounts()
  return p
}

/** Fills a record with what the host has for its address. */
function readAccount(p: usize): void {
  toAddressBytes(p, IO_ADDRESS)
  if (hostAccount(IO_ADDRESS, IO_ACCOUNT) != 0) {
    store<u32>(p, EXISTS, A_FLAGS)
    memory.copy(p + A_NONCE, IO_ACCOUNT, 72)
  } else {
    store<u32>(p, 0, A_FLAGS)
    memory.fill(p + A_NONCE, 0, 40)
    memory.copy(p + A_CODEHASH, EMPTY_HASH, 32)
  }
  saveBase(p)
}

/** The record of an address if there is one already, else 0. */
function knownAccount(word: usize): usize {
  const a0 = load<u64>(word)
  const a1 = load<u64>(word, 8)
  const a2 = load<u32>(word, 16)
  let h = hashAddress(a0, a1, a2) & accountMask
  while (true) {
    const p = <usize>load<u32>(accountIndex + <usize>h * 4)
    if (p == 0 || (load<u64>(p) == a0 && load<u64>(p, 8) == a1 && load<u32>(p, 16) == a2)) return p
    h = (h + 1) & accountMask
  }
}

// ---------- a later state ----------
// An execution that takes back what it did can go on with a later state: only what differs there is read again.

/** What the records of accounts and slots take; as much as there is when the numbers of transactions come to an end. */
export function stateBytes(): u32 {
  return epoch > 1 << 30 ? <u32>MEMORY_END : accountCount * <u32>A_SIZE + slotCount * <u32>S_SIZE
}

/** Reads an account again; if its storage was replaced, all slots that are known of it belong to an earlier generation. */
export function renewAccount(word: usize, isReplaced: i32): void {
  const p = knownAccount(word)
  if (p == 0) return
  if (isReplaced != 0) store<u32>(p, load<u32>(p, A_GENERATION) + 1, A_GENERATION)
  store<u32>(p, 0, A_CODE)
  readAccount(p)
}

/** Reads a slot again if it is known. */
export function renewSlot(word: usize, key: usize): void {
  const account = knownAccount(word)
  if (account == 0) return
  let h = hashSlot(account, key) & slotMask
  const generation = load<u32>(account, A_GENERATION)
  while (true) {
    const p = <usize>load<u32>(slotIndex + <usize>h * 4)
    if (p == 0) return
    if (
      load<u32>(p, S_ACCOUNT) == <u32>account &&
      load<u32>(p, S_GENERATION) == generation &&
      equal(p + S_KEY, key)
    ) return readSlot(p, account)
    h = (h + 1) & slotMask
  }
}

/** The account as it now stands is what the state below knows. */
export function saveBase(p: usize): void {
  store<u32>(p, load<u32>(p, A_FLAGS) & EXISTS, A_BASE_FLAGS)
  store<u32>(p, load<u32>(p, A_GENERATION), A_BASE_GENERATION)
  memory.copy(p + A_BASE_NONCE, p + A_NONCE, 72)
}

export function forgetCode(): void {
  for (let p = firstAccount; p != 0; p = <usize>load<u32>(p, A_NEXT)) store<u32>(p, 0, A_CODE)
}

// ---------- journal ----------
// An entry is its payload and then a word with its kind and the record's address, so that it is read backwards.
const J_ACCOUNT: u32 = 0
const J_WARM: u32 = 1
const J_VALUE: u32 = 2
const J_SLOT_WARM: u32 = 3
const J_TRANSIENT: u32 = 4

// Blocks begin with the end of the entries in the one below.
const JOURNAL_HEADER: usize = CHAIN_HEADER + 8

function growJournal(): usize {
  const block = link(journalBlock, 0)
  if (block == 0) return 0
  store<u32>(block, <u32>journalTop, CHAIN_HEADER)
  journalBlock = block
  journalEnd = chainEnd(block)
  return block + JOURNAL_HEADER
}

function forgetJournal(): void {
  journalBlock = shorten(journalBlock)
  journalEnd = chainEnd(journalBlock)
  journalTop = journalBlock + JOURNAL_HEADER
}

@inline
function journal(kind: u32, record: usize, payload: usize, length: usize): void {
  let at = journalTop
  if (at + length + 8 > journalEnd) {
    at = growJournal()
    if (at == 0) return
  }
  memory.copy(at, payload, length)
  store<u32>(at + length, kind)
  store<u32>(at + length + 4, <u32>record)
  journalTop = at + length + 8
}

export function revertTo(mark: usize): void {
  let at = journalTop
  while (at != mark) {
    if (at == journalBlock + JOURNAL_HEADER) {
      at = <usize>load<u32>(journalBlock, CHAIN_HEADER)
      journalBlock = unlink(journalBlock)
      journalEnd = chainEnd(journalBlock)
      continue
    }
    const kind = load<u32>(at - 8)
    const record = <usize>load<u32>(at - 4)
    at -= 8
    if (kind == J_VALUE) {
      at -= 32
      copy(record + S_VALUE, at)
    } else if (kind == J_WARM) {
      at -= 4
      store<u32>(record, load<u32>(at), A_WARM)
    } else if (kind == J_SLOT_WARM) {
      at -= 4
      store<u32>(record, load<u32>(at), S_WARM)
    } else if (kind == J_TRANSIENT) {
      at -= 32
      copy(record + T_VALUE, at)
    } else {
      at -= A_SAVED_LENGTH
      // The touch of the RIPEMD-160 precompile outlives its frame's failure: mainnet block 2,675,119.
      const keep = load<u32>(record, A_TOUCHED) == epoch && isRipemd(record)
      // Warmth has its own entries.
      const warm = load<u32>(record, A_WARM)
      memory.copy(record + A_SAVED, at, A_SAVED_LENGTH)
      store<u32>(record, warm, A_WARM)
      if (keep) store<u32>(record, epoch, A_TOUCHED)
    }
  }
  journalTop = mark
}

/** Takes everything back since the transaction began. */
export function revertAll(): void {
  let lowest = journalBlock
  while (load<u32>(lowest) != 0) lowest = <usize>load<u32>(lowest)
  revertTo(lowest + JOURNAL_HEADER)
}

@inline
function isRipemd(p: usize): bool {
  return load<u64>(p) == 3 && load<u64>(p, 8) == 0 && load<u32>(p, 16) == 0
}

// ---------- accounts ----------
function remember(p: usize): void {
  journal(J_ACCOUNT, p, p + A_SAVED, A_SAVED_LENGTH)
  markDirty(p)
}

function markDirty(p: usize): void {
  if (load<u32>(p, A_DIRTY) != 0) return
  store<u32>(p, 1, A_DIRTY)
  store<u32>(p, 0, A_DIRTY_NEXT)
  listDirty(p)
}

function listDirty(tagged: usize): void {
  if (lastDirty == 0) firstDirty = tagged
  else if ((lastDirty & 1) != 0) store<u32>(lastDirty - 1, <u32>tagged, S_DIRTY_NEXT)
  else store<u32>(lastDirty, <u32>tagged, A_DIRTY_NEXT)
  lastDirty = tagged
}

export function clearDirty(): void {
  firstDirty = 0
  lastDirty = 0
}

function listTouched(p: usize): void {
  // It stays in the list when the touch is taken back.
  if (load<u32>(p, A_LISTED) == epoch) return
  store<u32>(p, epoch, A_LISTED)
  store<u32>(p, <u32>firstListed, A_LISTED_NEXT)
  firstListed = p
}

/** Marks the account to be looked at when the transaction ends (EIP-161). */
function markTouched(p: usize): void {
  if (load<u32>(p, A_TOUCHED) == epoch) return
  store<u32>(p, epoch, A_TOUCHED)
  listTouched(p)
}

export function touch(p: usize): void {
  if (load<u32>(p, A_TOUCHED) == epoch) return
  remember(p)
  markTouched(p)
}

@inline
export function exists(p: usize): bool {
  return (load<u32>(p, A_FLAGS) & EXISTS) != 0
}

@inline
export function hasCode(p: usize): bool {
  return !equal(p + A_CODEHASH, EMPTY_HASH)
}

/** No nonce, no balance, no code: also what does not exist. */
@inline
export function isEmpty(p: usize): bool {
  return load<u64>(p, A_NONCE) == 0 && isZero(p + A_BALANCE) && !hasCode(p)
}

/** The account exists from now on, with what it has. */
export function ensure(p: usize): void {
  if (exists(p)) return
  remember(p)
  store<u32>(p, load<u32>(p, A_FLAGS) | EXISTS, A_FLAGS)
  markTouched(p)
}

export function addBalance(p: usize, amount: usize): void {
  if (isZero(amount)) {
    if (isEmpty(p)) {
      ensure(p)
      touch(p)
    }
    return
  }
  remember(p)
  store<u32>(p, load<u32>(p, A_FLAGS) | EXISTS, A_FLAGS)
  markTouched(p)
  add(p + A_BALANCE, amount, p + A_BALANCE)
}

export function subBalance(p: usize, amount: usize): void {
  if (isZero(amount)) return
  remember(p)
  store<u32>(p, load<u32>(p, A_FLAGS) | EXISTS, A_FLAGS)
  markTouched(p)
  sub(p + A_BALANCE, amount, p + A_BALANCE)
}

export function setNonce(p: usize, nonce: u64): void {
  remember(p)
  store<u32>(p, load<u32>(p, A_FLAGS) | EXISTS, A_FLAGS)
  markTouched(p)
  store<u64>(p, nonce, A_NONCE)
}

export function setCode(p: usize, hash: usize, code: usize): void {
  remember(p)
  store<u32>(p, load<u32>(p, A_FLAGS) | EXISTS, A_FLAGS)
  markTouched(p)
  memory.copy(p + A_CODEHASH, hash, 32)
  store<u32>(p, <u32>code, A_CODE)
}

/** A contract begins at this address: it has no storage, whatever stood there, and keeps its balance. */
export function createAccount(p: usize, nonce: u64): void {
  remember(p)
  store<u32>(p, load<u32>(p, A_FLAGS) | EXISTS, A_FLAGS)
  markTouched(p)
  store<u64>(p, nonce, A_NONCE)
  store<u32>(p, epoch, A_CREATED)
}

@inline
export function isCreated(p: usize): bool {
  return load<u32>(p, A_CREATED) == epoch
}

@inline
export function isDestroyed(p: usize): bool {
  return load<u32>(p, A_DESTROYED) == epoch
}

/** The balance has moved already; the account goes when the transaction ends. */
export function markDestroyed(p: usize): void {
  remember(p)
  markTouched(p)
  set(p + A_BALANCE, 0)
  store<u32>(p, epoch, A_DESTROYED)
}

/** EIP-7610: does the account have storage that a creation would find? */
export function hasStorage(p: usize): bool {
  if ((load<u32>(p, A_FLAGS) & CLEARED) != 0 || load<u32>(p, A_BASE_FLAGS) == 0) return false
  toAddressBytes(p, IO_ADDRESS)
  return hostHasStorage(IO_ADDRESS) != 0
}

let movedCount: i32 = 0

export function setMovedCount(count: i32): void {
  movedCount = count
}

/** The number of a precompile that stands at an address of any size, or 0. */
function movedId(p: usize): i32 {
  for (let i = 0; i < movedCount; i++) {
    const at = MOVED + (<usize>i << 5)
    if (load<u64>(p) == load<u64>(at) && load<u64>(p, 8) == load<u64>(at, 8) && load<u32>(p, 16) == load<u32>(at, 16)) {
      return <i32>PRECOMPILE_LIMIT + i
    }
  }
  return 0
}

/** Marks in the table of small addresses: a precompile runs there; the fork has one there. */
const RUNS: u8 = 1
const WARM: u8 = 2

/** A small address with the mark of a precompile, or one that was moved; its number, or 0. */
@inline
export function precompileId(p: usize): i32 {
  const low = load<u64>(p)
  if (low >= PRECOMPILE_LIMIT || load<u64>(p, 8) != 0 || load<u32>(p, 16) != 0) return movedCount == 0 ? 0 : movedId(p)
  return (load<u8>(PRECOMPILES + <usize>low) & RUNS) != 0 ? <i32>low : 0
}

/** Where the fork has a precompile, even if it is overridden or moved away; where one is moved to does not count. */
@inline
function isBornWarm(p: usize): bool {
  const low = load<u64>(p)
  if (low >= PRECOMPILE_LIMIT || load<u64>(p, 8) != 0 || load<u32>(p, 16) != 0) return false
  return (load<u8>(PRECOMPILES + <usize>low) & WARM) != 0
}

/** EIP-2929: precompiles never are. */
@inline
export function isCold(p: usize): bool {
  return load<u32>(p, A_WARM) != epoch && !isBornWarm(p)
}

/** Whether it was cold until now. */
@inline
export function warmAccount(p: usize): bool {
  if (!isCold(p)) return false
  journal(J_WARM, p, p + A_WARM, 4)
  store<u32>(p, epoch, A_WARM)
  return true
}

function remove(p: usize): void {
  markDirty(p)
  store<u32>(p, CLEARED, A_FLAGS)
  store<u64>(p, 0, A_NONCE)
  set(p + A_BALANCE, 0)
  memory.copy(p + A_CODEHASH, EMPTY_HASH, 32)
  store<u32>(p, 0, A_CODE)
  store<u32>(p, load<u32>(p, A_GENERATION) + 1, A_GENERATION)
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

// ---------- storage ----------
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
  let h = hashSlot(account, key) & slotMask
  const generation = load<u32>(account, A_GENERATION)
  while (true) {
    const p = <usize>load<u32>(slotIndex + <usize>h * 4)
    if (p == 0) break
    if (
      load<u32>(p, S_ACCOUNT) == <u32>account &&
      load<u32>(p, S_GENERATION) == generation &&
      equal(p + S_KEY, key)
    ) {
      if (load<u32>(p, S_EPOCH) != epoch) {
        store<u32>(p, epoch, S_EPOCH)
        copy(p + S_ORIGINAL, p + S_VALUE)
      }
      return p
    }
    h = (h + 1) & slotMask
  }
  const p = allocate(S_SIZE)
  memory.fill(p, 0, S_SIZE)
  store<u32>(p, <u32>account, S_ACCOUNT)
  store<u32>(p, generation, S_GENERATION)
  copy(p + S_KEY, key)
  store<u32>(p, epoch, S_EPOCH)
  if ((load<u32>(account, A_FLAGS) & CLEARED) == 0 && load<u32>(account, A_BASE_FLAGS) != 0) readSlot(p, account)
  if (p == SPARE) return p
  store<u32>(slotIndex + <usize>h * 4, <u32>p)
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

// ---------- transient storage ----------
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

/** What was looked at, for tracers. */
export function noteRead(kind: i32, account: usize, slot: usize, value: usize): void {
  if (TRACED) hostRead(kind, account, slot, value)
}
