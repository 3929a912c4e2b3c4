import { keccak256 } from '../../../base/crypto/crypto.ts'
import { equalBytes } from '../../../base/encoding/bytes.ts'
import { isGoDuration, parseGoDuration } from '../../../base/encoding/goDuration.ts'
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
import { readBounded } from './boundedResponse.ts'
import { parseCall } from './callArguments.ts'
import { toForkOverrides } from './configMessage.ts'
import { createQuery, type QueryRoutes, toBlockRef, withPrefix } from './query.ts'
import { invalidArgumentError } from './queryError.ts'

/**
 * The trace queries of cosmos/evm. There the request contains the block; here a block and its transactions must be
 * those of the chain, and are traced as they were executed.
 */
export const evmTraces: QueryRoutes = withPrefix('/cosmos.evm.vm.v1.Query', {
  TraceTx: createQuery(
    QueryTraceTxRequestSchema,
    QueryTraceTxResponseSchema,
    async ({ msg, traceConfig }, { chain, signal }) => {
      if (msg === undefined) throw invalidArgumentError('empty request')
      const text = chain.traces.transaction(keccak256(msg.raw), toTraceOptions(traceConfig), signal)
      return { data: await readBounded(await text) }
    },
  ),

  TraceBlock: createQuery(
    QueryTraceBlockRequestSchema,
    QueryTraceBlockResponseSchema,
    async ({ txs, traceConfig, blockNumber }, { chain, signal }) => {
      if (!coversWholeBlock(chain.blocks, blockNumber, txs))
        throw invalidArgumentError(`the transactions are not those of block ${blockNumber}`)
      const text = chain.traces.block(toBlockRef(Number(blockNumber)), toTraceOptions(traceConfig), signal)
      return { data: await readBounded(await text) }
    },
  ),

  TraceCall: createQuery(
    QueryTraceCallRequestSchema,
    QueryTraceCallResponseSchema,
    async ({ args, gasCap, traceConfig }, { chain, height, signal }) => {
      const request = parseCall({ args, gasCap })
      const text = chain.traces.call(request, toBlockRef(height), toTraceOptions(traceConfig), signal)
      return { data: await readBounded(await text) }
    },
  ),
})

const coversWholeBlock = (blocks: BlockReader, number: bigint, given: readonly MsgEthereumTx[]): boolean => {
  if (number < 1n || number > Number.MAX_SAFE_INTEGER) return false
  const height = Number(number)
  if (blocks.transactionCount(height) !== given.length) return false
  return given.every(({ raw }, index) => {
    const known = blocks.transactionRlp({ number: height, index })
    return known !== undefined && equalBytes(known, raw)
  })
}

const toTraceOptions = (config: TraceConfig | undefined): TraceOptions => {
  const { tracer = '', timeout = '', tracerJsonConfig = '', limit = 0 } = config ?? {}
  if (limit < 0) throw invalidArgumentError(`output limit cannot be negative, got ${limit}`)
  if (timeout !== '' && !isGoDuration.test(timeout))
    throw invalidArgumentError('the timeout is not a duration')
  return {
    tracer: tracer === '' ? undefined : tracer,
    tracerConfig: tracerJsonConfig === '' ? undefined : parseConfig(tracerJsonConfig),
    timeoutMs: timeout === '' ? undefined : parseGoDuration(timeout),
    enableMemory: config?.enableMemory ?? false,
    disableStack: config?.disableStack ?? false,
    disableStorage: config?.disableStorage ?? false,
    enableReturnData: config?.enableReturnData ?? false,
    limit,
    overrides: toForkOverrides(config?.overrides),
  }
}

const parseConfig = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidArgumentError('the configuration of the tracer is not JSON')
  }
}
