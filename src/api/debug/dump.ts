import { noBytes } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { TimeSlice } from '../../base/timeSlice.ts'
import { toChecksumAddress } from '../../chain/address.ts'
import type { AccountPage, StateView } from '../../chain/port/state.ts'
import { limitExceeded } from '../../rpc/errors.ts'
import type { DumpAccount } from '../wire/dump.ts'

/** geth's limit for one answer. */
export const maxAccounts = 256

/** What one answer holds at most: a contract can have any number of slots. */
const maxSlots = 100_000
const slotsAtOnce = 1024

const firstKey = new Uint8Array(32)

export interface DumpOptions {
  /** The hashed address to begin at. */
  readonly start: Uint8Array
  readonly limit: number
  readonly withCode: boolean
  readonly withStorage: boolean
}

/** A value as geth writes it here: no prefix and no zeros before it, whole bytes. */
const bareHex = (value: Uint8Array): string => {
  const first = value.findIndex((byte) => byte !== 0)
  return first < 0 ? '' : toHex(value.subarray(first)).slice(2)
}

/** Part of a state in geth's shape, in slices, so that other calls get their turn. */
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
    const code = withCode ? await state.code(account.address) : noBytes
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

const nextOf = ({ next }: AccountPage): { next?: string } =>
  next === undefined ? {} : { next: Buffer.from(next).toString('base64') }

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
    const page = await state.slots(address, start, slotsAtOnce)
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
