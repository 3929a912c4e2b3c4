import { toHex } from '../../base/encoding/hex.ts'
import { toChecksumAddress } from '../../chain/address.ts'
import { encodeHeader, type Header } from '../../chain/block/header.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'
import { MsgEthereumTxSchema } from '../gen/cosmos/evm/vm/v1/tx_pb.ts'
import { toTypeUrl } from '../protobuf.ts'
import { nativeHash } from '../transaction/nativeHash.ts'
import { formatLog } from './eventLogs.ts'

/** A transaction of an Ethereum block, with the values that its native result and events are made of. */
export interface ExecutedTransaction {
  readonly transaction: Transaction
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly result: {
    readonly success: boolean
    readonly error?: string | undefined
    readonly output: Uint8Array
    readonly logs: readonly Log[]
    readonly gasUsed: bigint
    readonly peakGas: bigint
  }
}

/**
 * Events as cosmos/evm emits them from 0.5 on, with its order of attributes. Events of modules that a Perihelion chain
 * does not have (bank, mint, distribution) are absent, and addresses are never bech32. Logs are in `tx_log`, as up to
 * cosmos/evm 0.4: what is in events is not hashed, and the receipts root of the header proves the logs.
 */

export interface NativeAttribute {
  readonly key: string
  /** The value as bytes, because the bloom is not text. */
  readonly value: Uint8Array
  /** Whether CometBFT indexes blocks and transactions by this attribute. */
  readonly index: boolean
}

export interface NativeEvent {
  readonly type: string
  readonly attributes: readonly NativeAttribute[]
}

type Text = readonly [key: string, value: string]

const attribute = ([key, value]: Text): NativeAttribute => ({ key, value: Buffer.from(value), index: true })

/** An attribute that is the same in many events is made once. */
const event = (type: string, ...attributes: readonly (Text | NativeAttribute)[]): NativeEvent => ({
  type,
  attributes: attributes.map((one) => ('key' in one ? one : attribute(one))),
})

const logEvent = 'tx_log'
/** The attribute of a `tx_log` event whose logs found no space: their number. */
export const omittedLogs = 'omitted'

/** Returns an error text with the length that a result may have of it. */
export const cappedError = (text: string): string => text.slice(0, 1_024)

const action = attribute(['action', toTypeUrl(MsgEthereumTxSchema)])
const evmModule = attribute(['module', 'evm'])
/** The index of the message: a transaction has exactly one. */
const messageIndex = attribute(['msg_index', '0'])

/** Returns the events of a transaction, with the number of its logs instead of the logs. */
export const toTransactionEvents = (
  { transaction, hash, sender, result }: ExecutedTransaction,
  native: Uint8Array,
  txIndex: number,
): readonly NativeEvent[] => {
  const ethereumTxHash = attribute(['ethereumTxHash', toHex(hash)])
  const from = attribute(['sender', toHex(sender)])
  const recipient: Text[] = transaction.to ? [['recipient', toChecksumAddress(transaction.to)]] : []
  const failed: Text[] = result.error === undefined ? [] : [['ethereumTxFailed', cappedError(result.error)]]
  return [
    event('ethereum_tx', ethereumTxHash, ['txIndex', String(txIndex)]),
    event('message', action, from, messageIndex),
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
    ...(result.logs.length === 0 ? [] : [event(logEvent, [omittedLogs, String(result.logs.length)])]),
    event('message', evmModule, from, ['txType', String(transaction.type)], messageIndex),
  ]
}

/** Returns the events with the logs, in the form that `parseLog` reads, instead of their number. */
export const withLogs = (events: readonly NativeEvent[], logs: readonly Log[]): readonly NativeEvent[] =>
  events.map((one) => {
    if (one.type !== logEvent) return one
    const attributes = logs.map((log) => ({
      key: 'txLog',
      value: Buffer.from(formatLog(log)),
      index: false,
    }))
    return { type: logEvent, attributes }
  })

const begins = attribute(['mode', 'BeginBlock'])
const ends = attribute(['mode', 'EndBlock'])

/** Returns the bloom as one big-endian integer without leading zeros; empty if there is no log. */
const trimBloom = (bloom: Uint8Array): Uint8Array => {
  const start = bloom.findIndex((byte) => byte !== 0)
  return start < 0 ? bloom.subarray(0, 0) : bloom.subarray(start)
}

/** Creates an event that is not indexed, because its value is too long for a key of CometBFT's index. */
const longEvent = (type: string, key: string, value: Uint8Array): NativeEvent => ({
  type,
  attributes: [{ key, value, index: false }, ends],
})

const feeEvents = (baseFee: bigint): readonly NativeEvent[] => [
  event('fee_market', ['base_fee', `${baseFee}.${'0'.repeat(18)}`], begins),
  event('evm_fee_market', ['base_fee', baseFee.toString()], begins),
]

/**
 * Returns the events of a block. Only Perihelion chains have `ethereum_header`, from which the whole header can be
 * rebuilt, and `ethereum_results` with the version of the results.
 */
export const toBlockEvents = (header: Header, version: number): readonly NativeEvent[] => [
  ...(header.baseFeePerGas === undefined ? [] : feeEvents(header.baseFeePerGas)),
  longEvent('block_bloom', 'bloom', trimBloom(header.logsBloom)),
  event('block_gas', ['height', header.number.toString()], ['amount', header.gasUsed.toString()], ends),
  longEvent('ethereum_header', 'rlp', Buffer.from(toBase64(encodeHeader(header)))),
  event('ethereum_results', ['version', String(version)], ends),
]

const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
