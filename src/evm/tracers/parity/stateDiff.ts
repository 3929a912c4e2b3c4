import { emptyBytes, equalBytes } from '../../../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../../base/encoding/hex.ts'
import {
  type Account,
  type AccountChange,
  type EvmStateReader,
  emptyCodeHash,
  type StateChanges,
} from '../../../chain/state/evmState.ts'
import type { TraceOutput } from '../output.ts'

type CodeReader = (codeHash: Uint8Array) => Uint8Array

/** The form of a value that an account got, lost, changed or kept. */
const added = (value: string): string => `{"+":"${value}"}`
const removed = (value: string): string => `{"-":"${value}"}`
const changed = (from: string, to: string): string =>
  from === to ? '"="' : `{"*":{"from":"${from}","to":"${to}"}}`

const isUnset = (value: Uint8Array): boolean => value.every((byte) => byte === 0)

/** Writes the changes of a transaction as Parity's `stateDiff`, the accounts and slots in their order. */
export const writeStateDiff = (before: EvmStateReader, changes: StateChanges, output: TraceOutput): void => {
  const deployed = new Map(changes.code.map(([hash, code]) => [toHex(hash), code]))
  const codeOf: CodeReader = (hash) =>
    equalBytes(hash, emptyCodeHash) ? emptyBytes : (deployed.get(toHex(hash)) ?? before.code(hash))
  const byAddress = changes.accounts.map((change) => [toHex(change.address), change] as const)
  let lead = '{'
  for (const [address, change] of byAddress.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const text = accountDiff(before, change, codeOf)
    if (text === undefined) continue
    output.ascii(`${lead}"${address}":`)
    output.ascii(text)
    lead = ','
  }
  output.ascii(lead === '{' ? '{}' : '}')
}

/** Returns the difference of one account; undefined if nothing of it changed. */
const accountDiff = (
  before: EvmStateReader,
  { address, account, storage }: AccountChange,
  codeOf: CodeReader,
): string | undefined => {
  const old = before.account(address)
  if (old === undefined) return account && diffOf(account, codeOf, added, bornSlots(storage))
  if (account === undefined) return diffOf(old, codeOf, removed, '')
  const slots = changedSlots(before, address, storage)
  const { balance, nonce, codeHash } = account
  const hasCode = !equalBytes(old.codeHash, codeHash)
  if (slots === '' && old.balance === balance && old.nonce === nonce && !hasCode) return undefined
  return join(
    changed(toQuantity(old.balance), toQuantity(balance)),
    hasCode ? changed(toHex(codeOf(old.codeHash)), toHex(codeOf(codeHash))) : '"="',
    changed(toQuantity(old.nonce), toQuantity(nonce)),
    slots,
  )
}

const diffOf = (
  { balance, nonce, codeHash }: Account,
  codeOf: CodeReader,
  form: (value: string) => string,
  slots: string,
): string => join(form(toQuantity(balance)), form(toHex(codeOf(codeHash))), form(toQuantity(nonce)), slots)

const join = (balance: string, code: string, nonce: string, slots: string): string =>
  `{"balance":${balance},"code":${code},"nonce":${nonce},"storage":{${slots}}}`

const inOrder = (storage: AccountChange['storage']): readonly (readonly [string, Uint8Array, Uint8Array])[] =>
  storage.map(([slot, value]) => [toHex(slot), slot, value] as const).sort(([a], [b]) => (a < b ? -1 : 1))

const bornSlots = (storage: AccountChange['storage']): string =>
  inOrder(storage)
    .filter(([, , value]) => !isUnset(value))
    .map(([name, , value]) => `"${name}":${added(toHex(value))}`)
    .join(',')

const changedSlots = (
  before: EvmStateReader,
  address: Uint8Array,
  storage: AccountChange['storage'],
): string =>
  inOrder(storage)
    .map(([name, slot, value]) => [name, toHex(before.storage(address, slot)), toHex(value)] as const)
    .filter(([, from, to]) => from !== to)
    .map(([name, from, to]) => `"${name}":${changed(from, to)}`)
    .join(',')
