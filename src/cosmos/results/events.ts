import { toHex } from '../../base/hex.ts'
import { toChecksumAddress } from '../../chain/address.ts'
import { encodeHeader, type Header } from '../../chain/block/header.ts'
import { MsgEthereumTxSchema } from '../gen/cosmos/evm/vm/v1/tx_pb.ts'
import { typeUrlOf } from '../protobuf.ts'
import { nativeHash } from '../transaction/nativeHash.ts'
import type { ExecutedTransaction } from './executed.ts'

/**
 * Events as cosmos/evm emits them from 0.5 on, attributes in its order; those of modules that this chain does not have
 * (bank, mint, distribution) are absent, and addresses are never bech32. Logs are in a result's data, not in events.
 */

export interface NativeAttribute {
  readonly key: string
  /** Bytes: the dialect's bloom is no text. */
  readonly value: Uint8Array
  /** Whether the engine finds blocks and transactions by it. */
  readonly index: boolean
}

export interface NativeEvent {
  readonly type: string
  readonly attributes: readonly NativeAttribute[]
}

type Text = readonly [key: string, value: string]

const attribute = ([key, value]: Text): NativeAttribute => ({ key, value: Buffer.from(value), index: true })

const event = (type: string, ...attributes: readonly Text[]): NativeEvent => ({
  type,
  attributes: attributes.map(attribute),
})

const action = typeUrlOf(MsgEthereumTxSchema)
/** There is one message in a transaction. */
const messageIndex: Text = ['msg_index', '0']

export const transactionEvents = (
  { transaction, hash, sender, result }: ExecutedTransaction,
  native: Uint8Array,
  txIndex: number,
): readonly NativeEvent[] => {
  const ethereumTxHash: Text = ['ethereumTxHash', toHex(hash)]
  const from: Text = ['sender', toHex(sender)]
  const recipient: Text[] = transaction.to ? [['recipient', toChecksumAddress(transaction.to)]] : []
  const failed: Text[] = result.error === undefined ? [] : [['ethereumTxFailed', result.error]]
  return [
    event('ethereum_tx', ethereumTxHash, ['txIndex', String(txIndex)]),
    event('message', ['action', action], from, messageIndex),
    event(
      'ethereum_tx',
      ['amount', transaction.value.toString()],
      ethereumTxHash,
      ['txGasUsed', result.gasUsed.toString()],
      ['txHash', Buffer.from(nativeHash(native)).toString('hex')],
      ...recipient,
      ...failed,
      messageIndex,
    ),
    event('message', ['module', 'evm'], from, ['txType', String(transaction.type)], messageIndex),
  ]
}

const begins: Text = ['mode', 'BeginBlock']
const ends: Text = ['mode', 'EndBlock']

/** The filter as one big-endian integer: without leading zeros, empty where there is no log. */
const trimmed = (bloom: Uint8Array): Uint8Array => {
  const start = bloom.findIndex((byte) => byte !== 0)
  return start < 0 ? bloom.subarray(0, 0) : bloom.subarray(start)
}

/** With a value that is too long to be a key of the engine's index. */
const longEvent = (type: string, key: string, value: Uint8Array): NativeEvent => ({
  type,
  attributes: [{ key, value, index: false }, attribute(ends)],
})

const feeEvents = (baseFee: bigint): readonly NativeEvent[] => [
  event('fee_market', ['base_fee', `${baseFee}.${'0'.repeat(18)}`], begins),
  event('evm_fee_market', ['base_fee', baseFee.toString()], begins),
]

/** What a block says of itself; `ethereum_header` is this chain's own, and all of the header follows from it. */
export const blockEvents = (header: Header): readonly NativeEvent[] => [
  ...(header.baseFeePerGas === undefined ? [] : feeEvents(header.baseFeePerGas)),
  longEvent('block_bloom', 'bloom', trimmed(header.logsBloom)),
  event('block_gas', ['height', header.number.toString()], ['amount', header.gasUsed.toString()], ends),
  longEvent('ethereum_header', 'rlp', Buffer.from(toBase64(encodeHeader(header)))),
]

const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
