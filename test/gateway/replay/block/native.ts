import { toHex } from '../../../../src/base/encoding/hex.ts'
import type { Traits } from '../families.ts'
import { any, blob, Fields, join, nested, text, uint } from '../wire.ts'
import {
  type AccessEntry,
  compact,
  decodeSigned,
  reassemble,
  type SignedTransaction,
  type UnsignedTransaction,
} from './signing.ts'

/** Transactions in the form in which a chain of a family keeps them (section 8.1; the older forms: section 4). */

const decimal = (value: bigint): string => value.toString()

const accesses = (field: number, list: readonly AccessEntry[]): Uint8Array =>
  join(
    ...list.map(({ address, keys }) =>
      nested(field, join(text(1, toHex(address)), ...keys.map((key) => text(2, toHex(key))))),
    ),
  )

/** The transaction in parts. There is no such form of type 4. */
const txData = (tx: SignedTransaction, evmPackage: string): Uint8Array => {
  const to = tx.to === undefined ? '' : toHex(tx.to)
  const chainId = text(1, decimal(tx.chainId ?? 0n))
  const signature = (first: number): Uint8Array =>
    join(blob(first, compact(tx.v)), blob(first + 1, compact(tx.r)), blob(first + 2, compact(tx.s)))
  const body = (first: number): Uint8Array =>
    join(
      uint(first, tx.gasLimit),
      text(first + 1, to),
      text(first + 2, decimal(tx.value)),
      blob(first + 3, tx.data),
    )
  switch (tx.type) {
    case 0:
      return any(
        `/${evmPackage}.LegacyTx`,
        join(uint(1, tx.nonce), text(2, decimal(tx.gasPrice)), body(3), signature(7)),
      )
    case 1:
      return any(
        `/${evmPackage}.AccessListTx`,
        join(
          chainId,
          uint(2, tx.nonce),
          text(3, decimal(tx.gasPrice)),
          body(4),
          accesses(8, tx.accessList),
          signature(9),
        ),
      )
    case 2:
      return any(
        `/${evmPackage}.DynamicFeeTx`,
        join(
          chainId,
          uint(2, tx.nonce),
          text(3, decimal(tx.maxPriorityFeePerGas)),
          text(4, decimal(tx.maxFeePerGas)),
          body(5),
          accesses(9, tx.accessList),
          signature(10),
        ),
      )
    case 4:
      throw new Error('type 4 has no form in parts')
  }
}

const message = (tx: SignedTransaction, { inParts, evmPackage }: Traits): Uint8Array => {
  const fields = inParts
    ? join(nested(1, txData(tx, evmPackage)), text(3, toHex(tx.hash)))
    : join(blob(5, tx.from), blob(6, tx.raw))
  return any(`/${evmPackage}.MsgEthereumTx`, fields)
}

const offeredFee = (tx: SignedTransaction): bigint =>
  tx.gasLimit * (tx.type < 2 ? tx.gasPrice : tx.maxFeePerGas)

const fee = (amount: bigint, gas: bigint, denom: string): Uint8Array => {
  const coin = amount === 0n ? [] : [nested(1, join(text(1, denom), text(2, decimal(amount))))]
  return nested(2, join(...coin, uint(2, gas)))
}

/** One native transaction with a message for each of the given ones. */
export const wrap = (transactions: readonly SignedTransaction[], traits: Traits): Uint8Array => {
  const extension = any(`/${traits.evmPackage}.ExtensionOptionsEthereumTx`, new Uint8Array(0))
  const body = join(...transactions.map((tx) => nested(1, message(tx, traits))), nested(1023, extension))
  const amount = transactions.reduce((sum, tx) => sum + offeredFee(tx), 0n)
  const gas = transactions.reduce((sum, tx) => sum + tx.gasLimit, 0n)
  return join(nested(1, body), nested(2, fee(amount, gas, traits.denom)))
}

/** The first entry of our own chain's blocks. */
export const proposerEntry = (height: number, reward: Uint8Array): Uint8Array => {
  const entry = any('/perihelion.v1.MsgProposer', join(uint(1, height), blob(2, reward)))
  return join(nested(1, nested(1, entry)), nested(2, new Uint8Array(0)))
}

/** A transfer of the bank module, with a signer and a signature that nobody checks here. */
export const bankSend = (
  from: string,
  to: string,
  amount: bigint,
  { denom }: Traits,
  signature: Uint8Array,
): Uint8Array => {
  const coin = join(text(1, denom), text(2, decimal(amount)))
  const send = any('/cosmos.bank.v1beta1.MsgSend', join(text(1, from), text(2, to), nested(3, coin)))
  const key = any('/cosmos.evm.crypto.v1.ethsecp256k1.PubKey', blob(1, signature.subarray(0, 33)))
  const signer = join(nested(1, key), nested(2, nested(1, uint(1, 1))))
  const authInfo = join(nested(1, signer), fee(200_000n, 200_000n, denom))
  return join(nested(1, join(nested(1, send), text(2, 'rent'))), nested(2, authInfo), blob(3, signature))
}

/** The Ethereum transactions of a native one. Throws on bytes that are not a transaction of this family. */
export const unwrap = (bytes: Uint8Array, { evmPackage }: Traits): SignedTransaction[] => {
  const body = new Fields(new Fields(bytes).bytes(1))
  const messages = body.all(1).map((packed) => new Fields(packed))
  if (messages.length === 0) throw new Error('no messages')
  return messages.map((packed) => {
    if (packed.text(1) !== `/${evmPackage}.MsgEthereumTx`) throw new Error(`message is a ${packed.text(1)}`)
    return decodeMessage(packed.bytes(2))
  })
}

/** A MsgEthereumTx of either layout. */
export const decodeMessage = (bytes: Uint8Array): SignedTransaction => {
  const fields = new Fields(bytes)
  return fields.has(6) ? decodeSigned(fields.bytes(6)) : fromParts(new Fields(fields.bytes(1)))
}

const integer = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)

const fromParts = (packed: Fields): SignedTransaction => {
  const kind = packed.text(1).split('.').at(-1)
  const f = new Fields(packed.bytes(2))
  const type = kind === 'LegacyTx' ? 0 : kind === 'AccessListTx' ? 1 : kind === 'DynamicFeeTx' ? 2 : undefined
  if (type === undefined) throw new Error(`transaction data is a ${packed.text(1)}`)
  const gas = type + 3
  const to = f.text(gas + 1)
  const last = type === 0 ? 7 : gas + 5
  const v = integer(f.bytes(last))
  const legacyChain = v < 35n ? undefined : (v - 35n) / 2n
  const tx: UnsignedTransaction = {
    type,
    chainId: type === 0 ? legacyChain : BigInt(f.text(1)),
    nonce: f.uint(type === 0 ? 1 : 2),
    gasPrice: type === 2 ? 0n : BigInt(f.text(type + 2)),
    maxPriorityFeePerGas: type === 2 ? BigInt(f.text(3)) : 0n,
    maxFeePerGas: type === 2 ? BigInt(f.text(4)) : 0n,
    gasLimit: f.uint(gas),
    to: to === '' ? undefined : Buffer.from(to.slice(2), 'hex'),
    value: BigInt(f.text(gas + 2) || '0'),
    data: f.bytes(gas + 3),
    accessList: type === 0 ? [] : f.all(gas + 4).map(accessEntry),
    authorizations: [],
  }
  return reassemble(tx, { v, r: integer(f.bytes(last + 1)), s: integer(f.bytes(last + 2)) })
}

const accessEntry = (bytes: Uint8Array): AccessEntry => {
  const fields = new Fields(bytes)
  const fromHex = (value: string): Uint8Array => Buffer.from(value.slice(2), 'hex')
  return {
    address: fromHex(fields.text(1)),
    keys: fields.all(2).map((key) => fromHex(Buffer.from(key).toString())),
  }
}
