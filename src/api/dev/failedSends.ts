import { fromHex } from '../../base/encoding/hex.ts'
import { defaultTraceOptions } from '../../chain/port/traces.ts'
import { readStreamedJson } from '../../chain/trace/streamedJson.ts'
import type { CallScope } from '../../rpc/method.ts'
import { traceFailedTransaction } from '../../solidity/traceFailure.ts'
import { type CallEnd, runInTime } from '../accounts/answerInTime.ts'
import type { ApiContext } from '../context.ts'
import { failedSendFor } from './clientRules.ts'
import { servesDevMethods } from './devSigner.ts'
import { hardhatError } from './hardhatError.ts'

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
  const { output = '0x', error } = await runInTime(scope, (signal) =>
    readTopCall(context, hash, signal),
  ).catch((): TopCall => ({}))
  const stack = await runInTime(scope, (signal) => traceFailedTransaction(context, hash, signal)).catch(
    () => undefined,
  )
  throw hardhatError({ error, output: fromHex(output), stack, hash }, context.contracts)
}

const readTopCall = async (
  { chain: { traces } }: ApiContext,
  hash: Uint8Array,
  signal: AbortSignal,
): Promise<TopCall> => readStreamedJson<TopCall>(await traces.transaction(hash, options, signal))
