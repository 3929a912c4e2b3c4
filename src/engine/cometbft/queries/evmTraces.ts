import { equalBytes } from '../../../base/bytes.ts'
import { keccak256 } from '../../../base/crypto.ts'
import { isGoDuration, parseGoDuration } from '../../../base/goDuration.ts'
import type { BlockReader } from '../../../chain/port/blocks.ts'
import type { TraceOptions } from '../../../chain/port/traces.ts'
import {
  QueryTraceBlockRequestSchema,
  QueryTraceBlockResponseSchema,
  QueryTraceCallRequestSchema,
  QueryTraceCallResponseSchema,
  QueryTraceTxRequestSchema,
  QueryTraceTxResponseSchema,
  type TraceConfig,
} from '../../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import type { MsgEthereumTx } from '../../../cosmos/gen/cosmos/evm/vm/v1/tx_pb.ts'
import { boundedText } from './boundedText.ts'
import { forkOverrides } from './configMessage.ts'
import { readCall } from './dialectCall.ts'
import { type Queries, query, refOf, under } from './query.ts'
import { invalidArgument } from './queryFault.ts'

/**
 * Traces in the words of cosmos/evm. There whoever asks says what the block was; here a block and its transactions must
 * be those of the chain, and are traced as they ran.
 */
export const evmTraces: Queries = under('/cosmos.evm.vm.v1.Query', {
  TraceTx: query(
    QueryTraceTxRequestSchema,
    QueryTraceTxResponseSchema,
    async ({ msg, traceConfig }, { chain, signal }) => {
      if (msg === undefined) throw invalidArgument('empty request')
      const text = chain.traces.transaction(keccak256(msg.raw), optionsOf(traceConfig), signal)
      return { data: await boundedText(await text) }
    },
  ),

  TraceBlock: query(
    QueryTraceBlockRequestSchema,
    QueryTraceBlockResponseSchema,
    async ({ txs, traceConfig, blockNumber }, { chain, signal }) => {
      if (!isWhole(chain.blocks, blockNumber, txs))
        throw invalidArgument(`the transactions are not those of block ${blockNumber}`)
      const text = chain.traces.block(refOf(Number(blockNumber)), optionsOf(traceConfig), signal)
      return { data: await boundedText(await text) }
    },
  ),

  TraceCall: query(
    QueryTraceCallRequestSchema,
    QueryTraceCallResponseSchema,
    async ({ args, gasCap, traceConfig }, { chain, height, signal }) => {
      const question = readCall({ args, gasCap })
      const text = chain.traces.call(question, refOf(height), optionsOf(traceConfig), signal)
      return { data: await boundedText(await text) }
    },
  ),
})

const isWhole = (blocks: BlockReader, number: bigint, given: readonly MsgEthereumTx[]): boolean => {
  if (number < 1n || number > Number.MAX_SAFE_INTEGER) return false
  const height = Number(number)
  if (blocks.transactionCount(height) !== given.length) return false
  return given.every(({ raw }, index) => {
    const known = blocks.transactionRlp({ number: height, index })
    return known !== undefined && equalBytes(known, raw)
  })
}

const optionsOf = (config: TraceConfig | undefined): TraceOptions => {
  const { tracer = '', timeout = '', tracerJsonConfig = '', limit = 0 } = config ?? {}
  if (limit < 0) throw invalidArgument(`output limit cannot be negative, got ${limit}`)
  if (timeout !== '' && !isGoDuration.test(timeout)) throw invalidArgument('the timeout is no duration')
  return {
    tracer: tracer === '' ? undefined : tracer,
    tracerConfig: tracerJsonConfig === '' ? undefined : parseConfig(tracerJsonConfig),
    timeoutMs: timeout === '' ? undefined : parseGoDuration(timeout),
    enableMemory: config?.enableMemory ?? false,
    disableStack: config?.disableStack ?? false,
    disableStorage: config?.disableStorage ?? false,
    enableReturnData: config?.enableReturnData ?? false,
    limit,
    overrides: forkOverrides(config?.overrides),
  }
}

const parseConfig = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidArgument('the configuration of the tracer is no JSON')
  }
}
