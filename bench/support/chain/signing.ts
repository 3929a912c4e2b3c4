import { keccak256 } from '../../../src/base/crypto/crypto.ts'
import { emptyBytes, fromBigInt } from '../../../src/base/encoding/bytes.ts'
import { fromHex, toHex } from '../../../src/base/encoding/hex.ts'
import { encodeTransaction } from '../../../src/chain/transaction/encode.ts'
import { signTransaction } from '../../../src/chain/transaction/signature.ts'
import { chainId } from '../peers/program.ts'
import type { Account } from './accounts.ts'

export interface Call {
  readonly gasLimit: bigint
  /** Undefined for a creation. */
  readonly to: string | undefined
  readonly value?: bigint
  readonly data?: string
}

export interface SignedTransaction {
  readonly raw: string
  readonly hash: string
}

const maxPriorityFeePerGas = 10n ** 9n
/** More than the base fee after a series of full blocks. */
const maxFeePerGas = 10n ** 12n
/** geth and this program refuse to send what may cost more than a coin. */
const maxFee = 9n * 10n ** 17n

const feeCapOf = (gasLimit: bigint): bigint =>
  maxFeePerGas * gasLimit > maxFee ? maxFee / gasLimit : maxFeePerGas

export const signCall = ({ key }: Account, nonce: number, call: Call): SignedTransaction => {
  const raw = encodeTransaction(
    signTransaction(
      {
        ...{ type: 2, chainId: BigInt(chainId), nonce: BigInt(nonce), maxPriorityFeePerGas },
        maxFeePerGas: feeCapOf(call.gasLimit),
        gasLimit: call.gasLimit,
        to: call.to === undefined ? undefined : fromHex(call.to),
        value: call.value ?? 0n,
        data: call.data === undefined ? emptyBytes : fromHex(call.data),
        accessList: [],
      },
      key,
    ),
  )
  return { raw: toHex(raw), hash: toHex(keccak256(raw)) }
}

/** Returns one of the thousand accounts that receive what is sent. */
export const recipient = (index: number): string =>
  toHex(keccak256(fromBigInt(BigInt(index % recipientCount), 32)).subarray(12))

export const recipientCount = 1_000

export const word = (value: number | bigint | string): string =>
  (typeof value === 'string' ? value.replace('0x', '') : value.toString(16)).padStart(64, '0')

/** Returns the data of a call: the selector of the signature and one word for each argument. */
export const encodeCall = (signature: string, ...args: readonly (number | bigint | string)[]): string =>
  `${toHex(keccak256(Buffer.from(signature)).subarray(0, 4))}${args.map(word).join('')}`
