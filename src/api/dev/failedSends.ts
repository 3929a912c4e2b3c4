import { fromHex, toHex, toQuantity } from '../../base/encoding/hex.ts'
import { panicCode, revertReason } from '../../chain/abi/revertReason.ts'
import { defaultTraceOptions } from '../../chain/port/traces.ts'
import { readStreamedJson } from '../../chain/trace/streamedJson.ts'
import { errorCodes, RpcError } from '../../rpc/errors.ts'
import type { CallScope } from '../../rpc/method.ts'
import { stackTraceLines } from '../../solidity/printTrace.ts'
import { traceFailedTransaction } from '../../solidity/traceFailure.ts'
import { type CallEnd, runInTime } from '../accounts/answerInTime.ts'
import type { ApiContext } from '../context.ts'
import { failedSendFor } from './clientRules.ts'
import { servesDevMethods } from './devSigner.ts'

const options = { ...defaultTraceOptions, tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }

interface TopCall {
  readonly output?: string
  readonly error?: string
}

/**
 * Throws the error of Hardhat's node for a transaction that has failed in its block, to clients that expect it; without the reason
 * if that cannot be read in time.
 */
export const throwIfFailed = async (
  context: ApiContext,
  hash: Uint8Array,
  scope: Pick<CallScope, 'caller'> & CallEnd,
): Promise<void> => {
  if (failedSendFor(scope.caller.userAgent) === 'hash') return
  const { blocks, dev } = context.chain
  if (dev === undefined || !servesDevMethods(context)) return
  const location = blocks.locate(hash)
  const receipt = location && blocks.receiptJson(location)
  if (receipt === undefined) return
  const { status } = JSON.parse(Buffer.from(receipt).toString()) as { readonly status?: string }
  if (status !== '0x0') return
  const { output = '0x', error = '' } = await runInTime(scope, (signal) =>
    readTopCall(context, hash, signal),
  ).catch((): TopCall => ({}))
  const message = `Error: ${describe(fromHex(output), error)}`
  const stack = await runInTime(scope, (signal) => traceFailedTransaction(context, hash, signal)).catch(
    () => undefined,
  )
  const data = { message, txHash: toHex(hash), data: output }
  throw new RpcError(
    errorCodes.internal,
    message,
    stack === undefined ? data : { ...data, stackTrace: stackTraceLines(stack) },
  )
}

const readTopCall = async (
  { chain: { traces } }: ApiContext,
  hash: Uint8Array,
  signal: AbortSignal,
): Promise<TopCall> => readStreamedJson<TopCall>(await traces.transaction(hash, options, signal))

/** Returns what Hardhat says of a failure. */
const describe = (output: Uint8Array, error: string): string => {
  const reverted = 'VM Exception while processing transaction: reverted with'
  const panic = panicCode(output)
  if (panic !== undefined) return `${reverted} panic code ${toQuantity(panic)}`
  const reason = revertReason(output)
  if (reason !== undefined) return `${reverted} reason string '${reason}'`
  if (output.length > 0) return `${reverted} an unrecognized custom error (return data: ${toHex(output)})`
  return error === 'out of gas'
    ? 'Transaction ran out of gas'
    : 'Transaction reverted without a reason string'
}
