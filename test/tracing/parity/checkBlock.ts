import type { RpcClient } from '../../support/rpc/rpcClient.ts'
import { checkCalls } from './checkCalls.ts'
import { checkCoins } from './checkCoins.ts'
import { checkPrestate } from './checkState.ts'
import { checkSteps } from './checkSteps.ts'
import type { CallFrame, OpcodeLog, PrestateDiff, Replayed } from './types.ts'

/** Checks all that Parity's format says about a block against geth's tracers, the receipts and the header. */

interface Entry<Result> {
  readonly txHash: string
  readonly result: Result
}

interface Receipt {
  readonly transactionHash: string
  readonly gasUsed: string
  readonly status: string
}

/** What was found about one block. */
export interface BlockFindings {
  readonly replayed: readonly Replayed[]
  readonly wrong: readonly string[]
}

/** What was found about all blocks that were looked at. */
export class Findings {
  readonly wrong: string[] = []
  readonly types = new Set<string>()
  readonly errors = new Set<string>()
  count = 0

  add({ replayed, wrong }: BlockFindings): void {
    this.wrong.push(...wrong)
    this.count += replayed.length
    for (const { type, error } of replayed.flatMap(({ trace }) => trace)) {
      this.types.add(type)
      if (error !== undefined) this.errors.add(error)
    }
  }
}

const kinds = ['trace', 'stateDiff', 'vmTrace']

export const checkBlock = async (client: RpcClient, number: number): Promise<BlockFindings> => {
  const at = `0x${number.toString(16)}`
  const geth = <Result>(config: object) =>
    client.call<readonly Entry<Result>[]>('debug_traceBlockByNumber', at, config)
  const replayed = await client.call<readonly Replayed[]>('trace_replayBlockTransactions', at, kinds)
  const calls = await geth<CallFrame>({ tracer: 'callTracer' })
  const states = await geth<PrestateDiff>({ tracer: 'prestateTracer', tracerConfig: { diffMode: true } })
  const steps = await geth<OpcodeLog>({ enableMemory: true })
  const receipts = await client.call<readonly Receipt[]>('eth_getBlockReceipts', at)
  const { baseFeePerGas } = await client.call<{ baseFeePerGas: string }>('eth_getBlockByNumber', at, false)
  const wrong: string[] = []
  for (const [index, { transactionHash }] of receipts.entries()) {
    const [ours, call, state, log] = [replayed[index], calls[index], states[index], steps[index]]
    const hashes = [ours?.transactionHash, call?.txHash, state?.txHash, log?.txHash]
    if (
      ours === undefined ||
      call === undefined ||
      state === undefined ||
      log === undefined ||
      hashes.some((hash) => hash !== transactionHash)
    ) {
      wrong.push(`${number}/${index}: ${hashes} are traced in place of ${transactionHash}`)
      continue
    }
    const { gasUsed, status } = receipts[index] as Receipt
    const { trace, stateDiff, vmTrace, output } = ours
    const found = [
      ...checkCalls(trace, call.result),
      ...checkPrestate(stateDiff, state.result),
      ...checkSteps(vmTrace, log.result),
      ...checkCoins(ours, BigInt(gasUsed) * BigInt(baseFeePerGas)),
    ]
    if (output !== log.result.returnValue) found.push(`output ${output}`)
    const [first] = log.result.structLogs
    if (first !== undefined && BigInt(trace[0]?.action.gas ?? '0x0') !== BigInt(first.gas))
      found.push(`the outermost call has ${trace[0]?.action.gas} gas, its first step ${first.gas}`)
    if ((status === '0x1') !== (trace[0]?.error === undefined))
      found.push(`status ${status} and error ${trace[0]?.error}`)
    wrong.push(...found.map((text) => `${number}/${index} ${transactionHash}: ${text}`))
  }
  if (replayed.length !== receipts.length)
    wrong.push(`${number}: ${replayed.length} of ${receipts.length} transactions`)
  return { replayed, wrong }
}
