import { type Fork, forkIndex, forks } from '../../chain/config/forks.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { recoverAuthority, recoverSender } from '../../chain/transaction/signature.ts'
import type { Transaction } from '../../chain/transaction/types.ts'
import type { Signers } from '../types.ts'

/**
 * How transactions and their signers cross to the recovery thread and back: one buffer each way, handed over and not
 * copied. Numbers are little-endian.
 *   question: fork u8, then for each transaction its length u32 and its canonical form
 *   answer:   for each transaction 1 + the number of authorities as u32, or 0 where it has no signer; then the addresses
 */

const addressBytes = 20

/** Undefined: the signature is nobody's. Authorizations with such a signature are left out, as execution skips them. */
export const recoverSigners = (tx: Transaction, fork: Fork): Signers | undefined => {
  const sender = recoverSender(tx, fork)
  if (sender === undefined) return undefined
  const authorities: Uint8Array[] = []
  if (tx.type === 4) {
    for (const authorization of tx.authorizations) {
      const authority = recoverAuthority(authorization)
      if (authority !== undefined) authorities.push(authority)
    }
  }
  return { sender, authorities }
}

export const encodeRequest = (fork: Fork, transactions: readonly Uint8Array[]): ArrayBuffer => {
  const length = transactions.reduce((sum, raw) => sum + 4 + raw.length, 1)
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  bytes[0] = forkIndex(fork)
  let at = 1
  for (const raw of transactions) {
    view.setUint32(at, raw.length, true)
    bytes.set(raw, at + 4)
    at += 4 + raw.length
  }
  return bytes.buffer
}

export const handleRequest = (question: ArrayBuffer): ArrayBuffer => {
  const bytes = new Uint8Array(question)
  const view = new DataView(question)
  const fork = forks[bytes[0] as number] as Fork // written by encodeQuestion
  const found: (Signers | undefined)[] = []
  for (let at = 1; at < bytes.length; ) {
    const end = at + 4 + view.getUint32(at, true)
    found.push(recoverSigners(decodeTransaction(bytes.subarray(at + 4, end)), fork))
    at = end
  }
  return encodeResponse(found)
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

export const decodeResponse = (answer: ArrayBuffer): (Signers | undefined)[] => {
  const bytes = new Uint8Array(answer)
  const view = new DataView(answer)
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
