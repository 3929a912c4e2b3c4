import { fromHex } from '../../base/encoding/hex.ts'
import { revertReason } from '../../chain/abi/revertReason.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { defaultTraceOptions } from '../../chain/port/traces.ts'
import { readStreamedJson } from '../../chain/trace/streamedJson.ts'
import { callFailed } from '../../rpc/errors.ts'

/** The members of a call tracer's result that are read. */
interface CallResult {
  readonly result?: { readonly output?: string; readonly error?: string }
}

/** Returns a block with its transactions, each with what it returned and, if it reverted, the reason. */
export const readDetailedBlock = async (
  chain: Chain,
  number: number,
  signal: AbortSignal,
): Promise<Record<string, unknown>> => {
  const text = chain.blocks.blockJson(number, true)
  if (text === undefined) throw callFailed(`block #${number} not found`)
  const block = JSON.parse(Buffer.from(text).toString()) as { transactions: object[] } // written by the store
  if (block.transactions.length === 0) return { ...block }
  const options = { ...defaultTraceOptions, tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }
  const at = { kind: 'number' as const, number: BigInt(number) }
  const traces = await readStreamedJson<CallResult[]>(await chain.traces.block(at, options, signal))
  const transactions = block.transactions.map((transaction, index) => {
    const { output = '0x', error } = traces[index]?.result ?? {}
    const reason = error === undefined ? undefined : revertReason(fromHex(output))
    return { ...transaction, ...(reason === undefined ? {} : { revertReason: reason }), output }
  })
  return { ...block, transactions }
}
