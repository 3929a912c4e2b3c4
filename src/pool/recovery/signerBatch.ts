import { beginStage, endStage } from '../../base/profiling/stages.ts'
import { type Fork, forkIndex, forks } from '../../chain/config/forks.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { recoverRawSender } from '../../chain/transaction/rawSender.ts'
import { recoverAuthority } from '../../chain/transaction/signature.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'
import type { Signers } from '../types.ts'

/**
 * The messages to the recovery thread and back: one buffer each way, transferred and not
 * copied. Numbers are little-endian.
 *   request:  fork u8, then for each transaction its length u32, 1 as u8 if only its sender is asked for (else 0), and
 *             its canonical form
 *   response: for each transaction 1 + the number of authorities as u32, or 0 if it has no sender; then the addresses
 */

const addressBytes = 20
/** The bytes of a request before those of each transaction. */
const prefixBytes = 5

interface RequestedTransaction {
  readonly raw: Uint8Array
  /** Whether the authorities are left out, as if it had none. */
  readonly isSenderOnly: boolean
}

/** Returns the number of signatures that are recovered. */
export const countSignatures = (tx: Transaction, isSenderOnly: boolean): number =>
  tx.type === 4 && !isSenderOnly ? 1 + tx.authorizations.length : 1

/**
 * Recovers sender and authorities; undefined if the signature is invalid. Authorizations with an invalid
 * signature are omitted, because execution skips them.
 */
export const recoverSigners = (raw: Uint8Array, fork: Fork, isSenderOnly: boolean): Signers | undefined => {
  const sender = recoverRawSender(raw, fork)
  if (sender === undefined) return undefined
  const authorities: Uint8Array[] = []
  const tx = raw[0] === 4 && !isSenderOnly ? decodeTransaction(raw) : undefined
  if (tx?.type === 4) {
    for (const authorization of tx.authorizations) {
      const authority = recoverAuthority(authorization)
      if (authority !== undefined) authorities.push(authority)
    }
  }
  return { sender, authorities }
}

export const encodeRequest = (fork: Fork, transactions: readonly RequestedTransaction[]): ArrayBuffer => {
  const length = transactions.reduce((sum, { raw }) => sum + prefixBytes + raw.length, 1)
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  bytes[0] = forkIndex(fork)
  let at = 1
  for (const { raw, isSenderOnly } of transactions) {
    view.setUint32(at, raw.length, true)
    bytes[at + 4] = Number(isSenderOnly)
    bytes.set(raw, at + prefixBytes)
    at += prefixBytes + raw.length
  }
  return bytes.buffer
}

export const handleRequest = (request: ArrayBuffer): ArrayBuffer => {
  const begun = beginStage()
  const bytes = new Uint8Array(request)
  const view = new DataView(request)
  const fork = forks[bytes[0] as number] as Fork // written by encodeRequest
  const found: (Signers | undefined)[] = []
  for (let at = 1; at < bytes.length; ) {
    const start = at + prefixBytes
    const end = start + view.getUint32(at, true)
    found.push(recoverSigners(bytes.subarray(start, end), fork, bytes[at + 4] === 1))
    at = end
  }
  const response = encodeResponse(found)
  endStage('recover', begun, found.length)
  return response
}

const encodeResponse = (found: readonly (Signers | undefined)[]): ArrayBuffer => {
  const length = found.reduce(
    (sum, signers) => sum + 4 + (signers ? addressesIn(signers) * addressBytes : 0),
    0,
  )
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const signers of found) {
    view.setUint32(at, signers ? addressesIn(signers) : 0, true)
    at += 4
    if (signers === undefined) continue
    for (const address of [signers.sender, ...signers.authorities]) {
      bytes.set(address, at)
      at += addressBytes
    }
  }
  return bytes.buffer
}

const addressesIn = ({ authorities }: Signers): number => 1 + authorities.length

export const decodeResponse = (response: ArrayBuffer): (Signers | undefined)[] => {
  const bytes = new Uint8Array(response)
  const view = new DataView(response)
  const found: (Signers | undefined)[] = []
  for (let at = 0; at < bytes.length; ) {
    const count = view.getUint32(at, true)
    at += 4
    const addresses: Uint8Array[] = []
    for (let index = 0; index < count; index++, at += addressBytes)
      addresses.push(bytes.slice(at, at + addressBytes))
    const [sender, ...authorities] = addresses
    found.push(sender && { sender, authorities })
  }
  return found
}
