import { decodeUtf8 } from '../../base/encoding/utf8.ts'

/** Checks of values that the schema of a module's answer has as text or bytes. */

/** A balance; older versions answer -1 where the state is pruned. */
const isBalance = (text: string): boolean => /^(?:-?[0-9]{1,78})?$/.test(text)

export const hasBalance = ({ balance }: { readonly balance: string }): boolean => isBalance(balance)

/** An account whose balance is known: a node whose state is pruned says nothing of it. */
export const isAccount = (account: { readonly balance: string; readonly codeHash: string }): boolean =>
  /^[0-9]{0,78}$/.test(account.balance) && /^(?:(?:0x)?[0-9a-fA-F]{64})?$/.test(account.codeHash)

export const hasWord = ({ value }: { readonly value: string }): boolean =>
  /^(?:0x)?[0-9a-fA-F]{0,64}$/.test(value)

/** Above this a trace is not parsed only to be checked: its ends are. */
const maxParsedBytes = 256 * 1024
const ends = /^\s*(?:\{.*\}|\[.*\]|".*")\s*$/s
const endBytes = 64

/** Returns whether a trace is JSON; of a large one whether it begins and ends as JSON does. */
export const hasJson = ({ data }: { readonly data: Uint8Array }): boolean => {
  if (data.length > maxParsedBytes)
    return ends.test(decodeUtf8(data.subarray(0, endBytes)) + decodeUtf8(data.subarray(-endBytes)))
  try {
    JSON.parse(decodeUtf8(data))
    return true
  } catch {
    return false
  }
}
