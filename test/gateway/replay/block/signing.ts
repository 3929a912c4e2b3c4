import { type NestedUint8Array, RLP } from '@ethereumjs/rlp'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { createKeccak } from 'hash-wasm'
import { concatBytes, emptyBytes, toBigInt } from '../../../../src/base/encoding/bytes.ts'

/** Ethereum transactions, signed with noble: apart from the project's own encoding and signatures. */

const hasher = await createKeccak(256)

export const keccak = (data: Uint8Array): Uint8Array => hasher.init().update(data).digest('binary')

export interface AccessEntry {
  readonly address: Uint8Array
  readonly keys: readonly Uint8Array[]
}

export interface Authorization {
  readonly chainId: bigint
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

export interface UnsignedTransaction {
  readonly type: 0 | 1 | 2 | 4
  /** Undefined for a legacy transaction that is valid on every chain. */
  readonly chainId: bigint | undefined
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** Of types 0 and 1. */
  readonly gasPrice: bigint
  /** Of types 2 and 4. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly accessList: readonly AccessEntry[]
  readonly authorizations: readonly Authorization[]
}

export interface SignedTransaction extends UnsignedTransaction {
  readonly yParity: number
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
  readonly from: Uint8Array
  readonly raw: Uint8Array
  readonly hash: Uint8Array
}

export interface Key {
  readonly secret: Uint8Array
  readonly address: Uint8Array
}

export const keyOf = (secret: Uint8Array): Key => ({
  secret,
  address: keccak(secp256k1.getPublicKey(secret, false).subarray(1)).subarray(12),
})

/** An integer without leading zeros; zero is empty. */
export const compact = (value: bigint): Uint8Array => {
  if (value === 0n) return emptyBytes
  const digits = value.toString(16)
  return new Uint8Array(Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'))
}

const accessFields = (list: readonly AccessEntry[]): NestedUint8Array =>
  list.map(({ address, keys }) => [address, [...keys]])

const authorizationFields = (list: readonly Authorization[]): NestedUint8Array =>
  list.map(({ chainId, address, nonce, yParity, r, s }) => [
    compact(chainId),
    address,
    compact(nonce),
    compact(BigInt(yParity)),
    compact(r),
    compact(s),
  ])

const fieldsOf = (tx: UnsignedTransaction): NestedUint8Array => {
  const chainId = compact(tx.chainId ?? 0n)
  const target = [compact(tx.gasLimit), tx.to ?? emptyBytes, compact(tx.value), tx.data]
  const fees = [compact(tx.maxPriorityFeePerGas), compact(tx.maxFeePerGas)]
  const access = accessFields(tx.accessList)
  switch (tx.type) {
    case 0:
      return [compact(tx.nonce), compact(tx.gasPrice), ...target]
    case 1:
      return [chainId, compact(tx.nonce), compact(tx.gasPrice), ...target, access]
    case 2:
      return [chainId, compact(tx.nonce), ...fees, ...target, access]
    case 4:
      return [chainId, compact(tx.nonce), ...fees, ...target, access, authorizationFields(tx.authorizations)]
  }
}

const envelope = (type: number, fields: NestedUint8Array): Uint8Array =>
  type === 0 ? RLP.encode(fields) : concatBytes(Uint8Array.of(type), RLP.encode(fields))

const digestOf = (tx: UnsignedTransaction): Uint8Array => {
  const fields = fieldsOf(tx)
  const replay =
    tx.type === 0 && tx.chainId !== undefined ? [compact(tx.chainId), emptyBytes, emptyBytes] : []
  return keccak(envelope(tx.type, [...fields, ...replay]))
}

const signDigest = (digest: Uint8Array, secret: Uint8Array) => {
  const bytes = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' })
  return {
    yParity: bytes[0] as number, // the recovery bit stands first
    r: toBigInt(bytes.subarray(1, 33)),
    s: toBigInt(bytes.subarray(33, 65)),
  }
}

const legacyV = (yParity: number, chainId: bigint | undefined): bigint =>
  BigInt(yParity) + (chainId === undefined ? 27n : chainId * 2n + 35n)

/** Signature and all that follows from it. */
const complete = (
  tx: UnsignedTransaction,
  { yParity, r, s }: { yParity: number; r: bigint; s: bigint },
  from: Uint8Array,
): SignedTransaction => {
  const v = tx.type === 0 ? legacyV(yParity, tx.chainId) : BigInt(yParity)
  const raw = envelope(tx.type, [...fieldsOf(tx), compact(v), compact(r), compact(s)])
  return { ...tx, yParity, v, r, s, from, raw, hash: keccak(raw) }
}

export const sign = (tx: UnsignedTransaction, key: Key): SignedTransaction =>
  complete(tx, signDigest(digestOf(tx), key.secret), key.address)

/** An account's word that its code may be another's (EIP-7702). */
export const authorize = (chainId: bigint, address: Uint8Array, nonce: bigint, key: Key): Authorization => {
  const fields = [compact(chainId), address, compact(nonce)]
  const digest = keccak(concatBytes(Uint8Array.of(5), RLP.encode(fields)))
  return { chainId, address, nonce, ...signDigest(digest, key.secret) }
}

type Item = Uint8Array | NestedUint8Array
const list = (item: Item | undefined): Item[] => {
  if (!Array.isArray(item)) throw new Error('not a list')
  return item
}
const bytes = (item: Item | undefined): Uint8Array => {
  if (!(item instanceof Uint8Array)) throw new Error('not bytes')
  return item
}
const integer = (item: Item | undefined): bigint => toBigInt(bytes(item))
const target = (item: Item | undefined): Uint8Array | undefined =>
  bytes(item).length === 0 ? undefined : bytes(item)
const accesses = (item: Item | undefined): AccessEntry[] =>
  list(item).map((entry) => {
    const [address, keys] = list(entry)
    return { address: bytes(address), keys: list(keys).map(bytes) }
  })

const recover = (tx: UnsignedTransaction, yParity: number, r: bigint, s: bigint): Uint8Array => {
  const signature = new secp256k1.Signature(r, s).addRecoveryBit(yParity)
  return keccak(signature.recoverPublicKey(digestOf(tx)).toBytes(false).subarray(1)).subarray(12)
}

const unset = { accessList: [], authorizations: [], gasPrice: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }

const decodeLegacy = (raw: Uint8Array): SignedTransaction => {
  const f = list(RLP.decode(raw) as Item)
  const v = integer(f[6])
  const chainId = v < 35n ? undefined : (v - 35n) / 2n
  const tx: UnsignedTransaction = {
    ...unset,
    type: 0,
    chainId,
    nonce: integer(f[0]),
    gasPrice: integer(f[1]),
    gasLimit: integer(f[2]),
    to: target(f[3]),
    value: integer(f[4]),
    data: bytes(f[5]),
  }
  const yParity = Number(v - legacyV(0, chainId))
  const signature = { yParity, r: integer(f[7]), s: integer(f[8]) }
  return complete(tx, signature, recover(tx, yParity, signature.r, signature.s))
}

const decodeTyped = (type: 1 | 2 | 4, raw: Uint8Array): SignedTransaction => {
  const f = list(RLP.decode(raw.subarray(1)) as Item)
  const at = type === 1 ? 3 : 4
  const tx: UnsignedTransaction = {
    ...unset,
    type,
    chainId: integer(f[0]),
    nonce: integer(f[1]),
    ...(type === 1
      ? { gasPrice: integer(f[2]) }
      : { maxPriorityFeePerGas: integer(f[2]), maxFeePerGas: integer(f[3]) }),
    gasLimit: integer(f[at]),
    to: target(f[at + 1]),
    value: integer(f[at + 2]),
    data: bytes(f[at + 3]),
    accessList: accesses(f[at + 4]),
    authorizations: type === 4 ? authorizationsOf(f[at + 5]) : [],
  }
  const last = type === 4 ? at + 6 : at + 5
  const signature = { yParity: Number(integer(f[last])), r: integer(f[last + 1]), s: integer(f[last + 2]) }
  return complete(tx, signature, recover(tx, signature.yParity, signature.r, signature.s))
}

const authorizationsOf = (item: Item | undefined): Authorization[] =>
  list(item).map((entry) => {
    const [chainId, address, nonce, yParity, r, s] = list(entry)
    return {
      chainId: integer(chainId),
      address: bytes(address),
      nonce: integer(nonce),
      yParity: Number(integer(yParity)),
      r: integer(r),
      s: integer(s),
    }
  })

/** Throws on what is not a transaction of the types 0, 1, 2 and 4. */
export const decodeSigned = (raw: Uint8Array): SignedTransaction => {
  const [type] = raw
  if (type === 1 || type === 2 || type === 4) return decodeTyped(type, raw)
  if (type !== undefined && type >= 0xc0) return decodeLegacy(raw)
  throw new Error(`transaction type ${type} is not supported`)
}

/** With its parts known and not its signed bytes, as the older families keep it. */
export const reassemble = (
  tx: UnsignedTransaction,
  signature: { readonly v: bigint; readonly r: bigint; readonly s: bigint },
): SignedTransaction => {
  const { v, r, s } = signature
  const yParity = tx.type === 0 ? Number(v - legacyV(0, tx.chainId)) : Number(v)
  return complete(tx, { yParity, r, s }, recover(tx, yParity, r, s))
}

/** What is paid for a unit of gas. */
export const effectivePrice = (tx: UnsignedTransaction, baseFee: bigint | undefined): bigint => {
  if (tx.type < 2) return tx.gasPrice
  const offered = tx.maxPriorityFeePerGas + (baseFee ?? 0n)
  return offered < tx.maxFeePerGas ? offered : tx.maxFeePerGas
}
