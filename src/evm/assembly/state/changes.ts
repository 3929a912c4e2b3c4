// What happens to accounts, each change with its entry in the journal.
import {
  A_BALANCE, A_BASE_FLAGS, A_CODE, A_CODEHASH, A_CREATED, A_DESTROYED, A_DIRTY, A_DIRTY_NEXT, A_FLAGS, A_GENERATION,
  A_LISTED, A_LISTED_NEXT, A_NONCE, A_SAVED, A_SAVED_LENGTH, A_TOUCHED, A_WARM, CLEARED, EXISTS, IO_ADDRESS,
} from '../layout'
import { hostHasStorage } from '../host'
import { add, equal, isZero, set, sub } from '../words/u256'
import { toAddressBytes } from '../words/bytes'
import { epoch } from './state'
import { EMPTY_HASH } from './accounts'
import { J_ACCOUNT, J_WARM, journal } from './journal'
import { listDirty } from './dirty'
import { isBornWarm } from './precompileAddresses'

export let firstListed: usize = 0

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

/** Another transaction begins. */
@inline
export function forgetTouched(): void {
  firstListed = 0
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

export function remove(p: usize): void {
  markDirty(p)
  store<u32>(p, CLEARED, A_FLAGS)
  store<u64>(p, 0, A_NONCE)
  set(p + A_BALANCE, 0)
  memory.copy(p + A_CODEHASH, EMPTY_HASH, 32)
  store<u32>(p, 0, A_CODE)
  store<u32>(p, load<u32>(p, A_GENERATION) + 1, A_GENERATION)
}
