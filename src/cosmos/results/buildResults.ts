import { emptyBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { ProtoWriter } from '../../base/encoding/protobuf/protoWriter.ts'
import type { Header } from '../../chain/block/header.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import type { InvalidReason } from '../../chain/transaction/invalidReason.ts'
import { codes, type NativeRejection, toCodespace } from '../codes.ts'
import { MsgEthereumTxResponseSchema } from '../gen/cosmos/evm/vm/v1/tx_pb.ts'
import { toTypeUrl } from '../protobuf.ts'
import type { ExecutedTransaction } from './nativeEvents.ts'
import { cappedError, toTransactionEvents, withLogs } from './nativeEvents.ts'
import { encodedSize, type NativeResult } from './nativeResult.ts'
import type { ResponseSpace } from './responseSpace.ts'

/**
 * The version of what the engine hashes of a result: code, data, gas wanted and gas used (LastResultsHash). Nodes that
 * disagree about any of them part, so it is small, has no text that a release may reword, and is pinned by a test byte
 * by byte. Another version begins at a scheduled block, as a fork does, never with a release. Blocks name it in the
 * event `ethereum_results`; without that event the version is 0, whose data also had the logs, the error text and all
 * of the return data.
 */
export const resultsVersion = 1

/**
 * The largest part of the return data in a result; `ResponseSpace` limits that of a block. Calls and traces return all of
 * it.
 */
const maxReturnBytes = 1_024

/** The block that results belong to. */
export interface ResultBlock {
  readonly header: Header
  readonly hash: Uint8Array
}

/**
 * Returns the native result of a transaction of the Ethereum block: code 0, or 1 if it failed. Its logs are added when
 * all results of the block have their space.
 */
export const toIncludedResult = (
  included: ExecutedTransaction,
  native: Uint8Array,
  block: ResultBlock,
  txIndex: number,
  space: ResponseSpace,
): NativeResult => {
  const { result, transaction } = included
  const code = result.success ? codes.success : codes.failed
  return {
    code,
    data: encodeResponse(included, block, space),
    log: cappedError(result.error ?? ''),
    gasWanted: transaction.gasLimit,
    gasUsed: result.gasUsed,
    events: toTransactionEvents(included, native, txIndex),
    codespace: toCodespace(code),
  }
}

/** Returns the result with its logs if there is space for them. */
export const addLogs = (result: NativeResult, logs: readonly Log[], space: ResponseSpace): NativeResult => {
  if (logs.length === 0) return result
  const whole = { ...result, events: withLogs(result.events, logs) }
  return space.takeLogs(encodedSize(whole) - encodedSize(result)) ? whole : result
}

/** Returns the native result of a transaction that is not in the Ethereum block. */
export const toRejectedResult = ({ code, message }: NativeRejection): NativeResult => ({
  code,
  data: emptyBytes,
  log: cappedError(message),
  gasWanted: -1n,
  gasUsed: 0n,
  events: [],
  codespace: toCodespace(code),
})

/** The native result of the proposer entry, which costs nothing and executes nothing. */
export const proposerResult: NativeResult = {
  code: codes.success,
  data: emptyBytes,
  log: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
  codespace: '',
}

/** Encodes the response of the EVM module, without logs and error text: those are in events, which nobody hashes. */
const encodeResponse = (
  { hash, result }: ExecutedTransaction,
  block: ResultBlock,
  space: ResponseSpace,
): Uint8Array => {
  const ret = result.output.subarray(0, maxReturnBytes)
  return writer.write((to) => {
    to.begin(fields.data.responses)
    to.text(fields.any.typeUrl, responseUrl)
    to.begin(fields.any.value)
    to.text(fields.response.hash, toHex(hash))
    to.bytes(fields.response.ret, space.takeReturn(ret.length) ? ret : emptyBytes)
    to.integer(fields.response.gasUsed, result.gasUsed)
    to.integer(fields.response.maxUsedGas, result.peakGas)
    to.bytes(fields.response.blockHash, block.hash)
    to.integer(fields.response.blockTimestamp, block.header.timestamp)
    to.end()
    to.end()
  })
}

const writer = new ProtoWriter()
const responseUrl = toTypeUrl(MsgEthereumTxResponseSchema)

/** The numbers of the fields of a response, and of what holds it. */
const fields = {
  data: { responses: 2 },
  any: { typeUrl: 1, value: 2 },
  response: { hash: 1, ret: 3, gasUsed: 5, maxUsedGas: 6, blockHash: 7, blockTimestamp: 8 },
} as const

const codeOfReason: Readonly<Record<InvalidReason, NativeRejection['code']>> = {
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
  'invalid deposit log': codes.invalidRequest,
  'max initcode size exceeded': codes.tooLarge,
  'no room in the block': codes.noRoom,
}

/** Returns the rejection of a transaction that execution found invalid. */
export const toRejection = (reason: InvalidReason): NativeRejection => ({
  code: codeOfReason[reason],
  message: reason,
})
