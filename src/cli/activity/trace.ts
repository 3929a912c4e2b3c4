import { equalBytes } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { consoleAddress, decodeConsoleLog } from '../../chain/abi/consoleLog.ts'
import { type BlockRef, tracedBlock } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { CallRequest } from '../../chain/port/executor.ts'
import { defaultTraceOptions } from '../../chain/port/traces.ts'
import { readStreamedJson } from '../../chain/trace/streamedJson.ts'

/** A line that a contract wrote by console.log. */
export interface ConsoleLine {
  /** The contract as DATA. */
  readonly contract: string
  /** Its name, if it is known. */
  readonly name?: string | undefined
  readonly text: string
}

/** What a trace tells about a transaction. */
export interface TransactionTrace {
  readonly lines: readonly ConsoleLine[]
  /** What it returned, or reverted with. */
  readonly output: Uint8Array
  /** The EVM's error. */
  readonly error: string | undefined
}

/** A frame of the call tracer; `calls` are those that it made, in their order. */
interface CallFrame {
  readonly from: string
  readonly to?: string
  readonly input: string
  readonly output?: string
  readonly error?: string
  readonly calls?: readonly CallFrame[]
}

const traceTimeoutMs = 10_000

const options = { ...defaultTraceOptions, tracer: 'callTracer' }

/** Runs the transactions of a block again and returns what each wrote and how it ended. */
export const traceBlock = async ({ traces }: Chain, number: number): Promise<readonly TransactionTrace[]> => {
  const signal = AbortSignal.timeout(traceTimeoutMs)
  const json = await traces.block({ kind: 'number', number: BigInt(number) }, options, signal)
  const results = await readStreamedJson<readonly { readonly result: CallFrame }[]>(json)
  return results.map(({ result }) => ({
    lines: linesOf(result),
    output: fromHex(result.output ?? '0x'),
    error: result.error,
  }))
}

/** Runs a call again and returns what it wrote. */
export const traceCall = async (
  { traces }: Chain,
  call: CallRequest,
  at: BlockRef,
): Promise<readonly ConsoleLine[]> =>
  linesOf(
    await readStreamedJson<CallFrame>(
      await traces.call(call, tracedBlock(at), options, AbortSignal.timeout(traceTimeoutMs)),
    ),
  )

const linesOf = (frame: CallFrame): ConsoleLine[] =>
  (frame.calls ?? []).flatMap((call) => {
    if (call.to === undefined || !equalBytes(fromHex(call.to), consoleAddress)) return linesOf(call)
    const text = decodeConsoleLog(fromHex(call.input))
    return text === undefined ? [] : [{ contract: call.from, text }]
  })
