import { create, toBinary } from '@bufbuild/protobuf'

import { noBytes } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { toChecksumAddress } from '../../chain/address.ts'
import type { Header } from '../../chain/block/header.ts'
import type { Log } from '../../chain/block/log.ts'
import type { InvalidReason } from '../../chain/transaction/invalidReason.ts'
import { codes, codespaceOf, type NativeCode, type NativeFault } from '../codes.ts'
import { TxMsgDataSchema } from '../gen/cosmos/base/abci/v1beta1/abci_pb.ts'
import { LogSchema, MsgEthereumTxResponseSchema } from '../gen/cosmos/evm/vm/v1/tx_pb.ts'
import { packAny } from '../protobuf.ts'
import { type NativeEvent, transactionEvents } from './events.ts'
import type { ExecutedTransaction } from './executed.ts'

/** What the engine is told of one transaction of a block (ABCI's ExecTxResult). */
export interface NativeResult {
  readonly code: NativeCode
  readonly data: Uint8Array
  readonly log: string
  /** -1: never executed, as the dialect has it. */
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  readonly events: readonly NativeEvent[]
  readonly codespace: string
}

/** The block that results belong to. */
export interface ResultBlock {
  readonly header: Header
  readonly hash: Uint8Array
}

/** Where a transaction stands among those of its Ethereum block. */
export interface ResultPlace {
  readonly txIndex: number
  /** Logs of the block before those of this transaction. */
  readonly firstLog: number
}

/** A transaction of the Ethereum block: code 0, or 1 where it failed. */
export const includedResult = (
  included: ExecutedTransaction,
  native: Uint8Array,
  block: ResultBlock,
  place: ResultPlace,
): NativeResult => {
  const { result, transaction } = included
  const code = result.success ? codes.success : codes.failed
  return {
    code,
    data: encodeResponse(included, block, place),
    log: result.error ?? '',
    gasWanted: transaction.gasLimit,
    gasUsed: result.gasUsed,
    events: transactionEvents(included, native, place.txIndex),
    codespace: codespaceOf(code),
  }
}

/** A transaction that is not in the Ethereum block. */
export const faultResult = ({ code, message }: NativeFault): NativeResult => ({
  code,
  data: noBytes,
  log: message,
  gasWanted: -1n,
  gasUsed: 0n,
  events: [],
  codespace: codespaceOf(code),
})

/** The proposer's entry, which costs nothing and executes nothing. */
export const entryResult: NativeResult = {
  code: codes.success,
  data: noBytes,
  log: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
  codespace: '',
}

const encodeResponse = (
  { hash, result }: ExecutedTransaction,
  block: ResultBlock,
  place: ResultPlace,
): Uint8Array => {
  const response = create(MsgEthereumTxResponseSchema, {
    hash: toHex(hash),
    logs: result.logs.map((log, index) => toNativeLog(log, hash, block, place, index)),
    ret: result.output,
    vmError: result.error ?? '',
    gasUsed: result.gasUsed,
    maxUsedGas: result.peakGas,
    blockHash: block.hash,
    blockTimestamp: block.header.timestamp,
  })
  const msgResponses = [packAny(MsgEthereumTxResponseSchema, response)]
  return toBinary(TxMsgDataSchema, create(TxMsgDataSchema, { msgResponses }))
}

const toNativeLog = (
  { address, topics, data }: Log,
  txHash: Uint8Array,
  { header, hash }: ResultBlock,
  { txIndex, firstLog }: ResultPlace,
  index: number,
) =>
  create(LogSchema, {
    address: toChecksumAddress(address),
    topics: topics.map(toHex),
    data,
    blockNumber: header.number,
    txHash: toHex(txHash),
    txIndex: BigInt(txIndex),
    blockHash: toHex(hash),
    index: BigInt(firstLog + index),
    blockTimestamp: header.timestamp,
  })

const codeOfReason: Readonly<Record<InvalidReason, NativeFault['code']>> = {
  'type not supported': codes.invalidType,
  'invalid chain id': codes.invalidChainId,
  'nonce too low': codes.wrongSequence,
  'nonce too high': codes.wrongSequence,
  'nonce has max value': codes.wrongSequence,
  'sender not an eoa': codes.invalidRequest,
  'gas limit too high': codes.invalidGasLimit,
  'gas limit reached': codes.outOfGas,
  'insufficient funds for gas * price + value': codes.insufficientFunds,
  'insufficient funds for transfer': codes.insufficientFunds,
  'fee cap very high': codes.insufficientFee,
  'tip very high': codes.insufficientFee,
  'tip above fee cap': codes.insufficientFee,
  'fee cap less than block base fee': codes.insufficientFee,
  'blob transaction of create type': codes.invalidRequest,
  'missing blob hashes': codes.invalidRequest,
  'too many blobs': codes.invalidRequest,
  'invalid blob hash version': codes.invalidRequest,
  'blob fee cap less than block blob base fee': codes.insufficientFee,
  'set code transaction of create type': codes.invalidRequest,
  'empty authorization list': codes.invalidRequest,
  'intrinsic gas too low': codes.outOfGas,
  'floor data gas too low': codes.outOfGas,
  'gas overflow': codes.invalidGasLimit,
  'max initcode size exceeded': codes.tooLarge,
}

/** A transaction that execution found no place for. */
export const rejectedFault = (reason: InvalidReason): NativeFault => ({
  code: codeOfReason[reason],
  message: reason,
})
