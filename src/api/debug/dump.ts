import { emptyBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { TimeSlice } from '../../base/threads/timeSlice.ts'
import { toChecksumAddress } from '../../chain/address.ts'
import type { AccountPage, StateView } from '../../chain/port/state.ts'
import { limitExceeded } from '../../rpc/errors.ts'
import type { DumpAccount } from '../wire/dump.ts'

/** The maximum number of accounts in one response, as in geth. */
export const maxAccounts = 256

/** The maximum of slots in one response, because a contract can have any number of them. */
const maxSlots = 100_000
const slotsPerPage = 1024

const firstKey = new Uint8Array(32)

export interface DumpOptions {
  /** The hashed address at which the dump starts. */
  readonly start: Uint8Array
  readonly limit: number
  readonly withCode: boolean
  readonly withStorage: boolean
}

/** Encodes a value as geth does here: whole bytes in hex, without a prefix and leading zeros. */
const bareHex = (value: Uint8Array): string => {
  const first = value.findIndex((byte) => byte !== 0)
  return first < 0 ? '' : toHex(value.subarray(first)).slice(2)
}

/** Returns a part of a state in geth's format. It works in slices, so that other calls can run. */
export const dumpState = async (
  state: StateView,
  { start, limit, withCode, withStorage }: DumpOptions,
  signal: AbortSignal,
) => {
  const page = await state.accounts(start, limit)
  const accounts: Record<string, DumpAccount> = {}
  const slice = new TimeSlice()
  let room = maxSlots
  for (const account of page.accounts) {
    const code = withCode ? await state.code(account.address) : emptyBytes
    const storage = withStorage ? await readSlots(state, account.address, room, slice, signal) : {}
    room -= Object.keys(storage).length
    accounts[toChecksumAddress(account.address)] = {
      balance: String(account.balance),
      nonce: Number(account.nonce),
      root: toHex(account.storageRoot),
      codeHash: toHex(account.codeHash),
      ...(code.length > 0 ? { code: toHex(code) } : {}),
      ...(Object.keys(storage).length > 0 ? { storage } : {}),
      address: toHex(account.address),
      key: toHex(account.hashedAddress),
    }
    if (slice.isOver) await slice.next()
    signal.throwIfAborted()
  }
  return { root: toHex(page.root).slice(2), accounts, ...nextOf(page) }
}

const nextOf = ({ next }: AccountPage): { next?: string } => (next === undefined ? {} : { next: toHex(next) })

const readSlots = async (
  state: StateView,
  address: Uint8Array,
  room: number,
  slice: TimeSlice,
  signal: AbortSignal,
): Promise<Record<string, string>> => {
  const storage: Record<string, string> = {}
  let count = 0
  for (let start: Uint8Array | undefined = firstKey; start !== undefined; ) {
    const page = await state.slots(address, start, slotsPerPage)
    count += page.slots.length
    if (count > room)
      throw limitExceeded(
        `more than ${maxSlots} storage slots: use debug_accountRange without storage and debug_storageRangeAt`,
      )
    for (const { slot, value } of page.slots) storage[toHex(slot)] = bareHex(value)
    start = page.next
    if (slice.isOver) await slice.next()
    signal.throwIfAborted()
  }
  return storage
}
