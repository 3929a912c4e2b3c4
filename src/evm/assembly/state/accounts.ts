// The records of accounts: how they are found, read from the host and, for a later state, read again.
import {
  A_BASE_FLAGS, A_BASE_GENERATION, A_BASE_NONCE, A_CODE, A_CODEHASH, A_FLAGS, A_GENERATION, A_NEXT, A_NONCE, A_SIZE,
  EXISTS, IO_ACCOUNT, IO_ADDRESS, SPARE,
} from '../layout'
import { hostAccount } from '../host'
import { toAddressBytes } from '../words/bytes'
import { allocate } from './records'
import { giveTable, hashAddress, takeTable } from './tables'

export let accountIndex: usize = 0
export let accountMask: u32 = 0
export let accountCount: u32 = 0
export let firstAccount: usize = 0

// keccak256 of no bytes, as stored bytes
export const EMPTY_HASH = memory.data<u8>([
  0xc5, 0xd2, 0x46, 0x01, 0x86, 0xf7, 0x23, 0x3c, 0x92, 0x7e, 0x7d, 0xb2, 0xdc, 0xc7, 0x03, 0xc0,
  0xe5, 0x00, 0xb6, 0x53, 0xca, 0x82, 0x27, 0x3b, 0x7b, 0xfa, 0xd8, 0x04, 0x5d, 0x85, 0xa4, 0x70,
])

@inline
export function giveAccounts(): void {
  giveTable(accountIndex, accountMask)
}

@inline
export function forgetAccounts(): void {
  accountMask = 255
  accountIndex = takeTable(accountMask)
  accountCount = 0
  firstAccount = 0
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

/** Where the table has the record of an address, or has room for it. */
@inline
function placeOf(word: usize): usize {
  const a0 = load<u64>(word)
  const a1 = load<u64>(word, 8)
  const a2 = load<u32>(word, 16)
  let h = hashAddress(a0, a1, a2) & accountMask
  while (true) {
    const at = accountIndex + <usize>h * 4
    const p = <usize>load<u32>(at)
    if (p == 0 || (load<u64>(p) == a0 && load<u64>(p, 8) == a1 && load<u32>(p, 16) == a2)) return at
    h = (h + 1) & accountMask
  }
}

/** The record of the address in the lowest 20 bytes of the word; read from the host when it is new. */
export function account(word: usize): usize {
  const place = placeOf(word)
  const known = <usize>load<u32>(place)
  if (known != 0) return known
  const p = allocate(A_SIZE)
  memory.fill(p, 0, A_SIZE)
  store<u64>(p, load<u64>(word))
  store<u64>(p, load<u64>(word, 8), 8)
  store<u32>(p, load<u32>(word, 16), 16)
  readAccount(p)
  if (p == SPARE) return p
  store<u32>(place, <u32>p)
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
export function knownAccount(word: usize): usize {
  return <usize>load<u32>(placeOf(word))
}

/** Reads an account again; if its storage was replaced, all slots that are known of it belong to an earlier generation. */
export function renewAccount(word: usize, isReplaced: i32): void {
  const p = knownAccount(word)
  if (p == 0) return
  if (isReplaced != 0) store<u32>(p, load<u32>(p, A_GENERATION) + 1, A_GENERATION)
  store<u32>(p, 0, A_CODE)
  readAccount(p)
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
