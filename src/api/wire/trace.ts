import { z } from 'zod'
import { isGoDuration, parseGoDuration } from '../../base/encoding/goDuration.ts'
import type { TraceOptions } from '../../chain/port/traces.ts'
import type { AccountOverride, BlockOverride } from '../../chain/state/overrides.ts'
import { limitedRecord } from '../../rpc/limitedTypes.ts'
import { inputType, plainType, type WireType } from '../../rpc/wireType.ts'
import { dataText, Hash, hashText } from './data.ts'
import { BlockOverrides, StateOverrides } from './overrides.ts'
import { Uint64 } from './quantity.ts'

/** A duration in Go's notation (`1m30s`, `500ms`), in milliseconds. */
const durationText = z
  .string({ error: 'expected a duration such as "10s"' })
  .regex(isGoDuration, { error: 'expected a duration such as "10s"' })
  .transform(parseGoDuration)

/** More than there are forks. */
const maxForks = 64

const opcodeLog = {
  enableMemory: z.boolean().nullish().describe('Opcode log: with memory'),
  disableStack: z.boolean().nullish().describe('Opcode log: without the stack'),
  disableStorage: z.boolean().nullish().describe('Opcode log: without storage'),
  enableReturnData: z.boolean().nullish().describe('Opcode log: with return data'),
  limit: z.int().min(0).nullish().describe('Opcode log: its size in bytes, after which it ends; 0 for all'),
  overrides: limitedRecord(z.string(), z.unknown(), { max: maxForks })
    .nullish()
    .describe('Forks after Istanbul at other heights or times, as in a genesis file'),
}

const tracing = {
  ...opcodeLog,
  tracer: z.string({ error: 'expected the name or the script of a tracer' }).nullish(),
  tracerConfig: z.unknown().optional().describe('Settings of the named tracer'),
  timeout: durationText.nullish().describe('For each transaction, such as "10s"'),
  reexec: z.int().min(0).nullish().describe('Ignored: every kept state is there'),
}

const error = 'expected a trace config object'

const config = z.object(tracing, { error })
const fileConfig = z.object(
  { ...opcodeLog, txHash: Hash.schema.nullish().describe('Only this transaction') },
  { error },
)
const callConfig = z.object(
  {
    ...tracing,
    stateOverrides: StateOverrides.schema.nullish(),
    blockOverrides: BlockOverrides.schema.nullish(),
    txIndex: Uint64.schema.nullish().describe('Runs before the transaction at this place in the block'),
  },
  { error },
)

type Given = Partial<z.output<typeof config>>

const toOptions = (given: Given): TraceOptions => ({
  tracer: given.tracer ?? undefined,
  tracerConfig: given.tracerConfig ?? undefined,
  timeoutMs: given.timeout ?? undefined,
  enableMemory: given.enableMemory ?? false,
  disableStack: given.disableStack ?? false,
  disableStorage: given.disableStorage ?? false,
  enableReturnData: given.enableReturnData ?? false,
  limit: given.limit ?? 0,
  overrides: given.overrides ?? undefined,
})

/** The trace options if the client sends no config. */
export const defaultTraceConfig: TraceOptions = toOptions({})

/** The tracer to use, and the options of the opcode log, which is the default. */
export const TraceConfig: WireType<TraceOptions> = inputType(
  config.meta({ id: 'TraceConfig', title: 'trace config' }).transform(toOptions),
)

interface FileTrace {
  readonly options: TraceOptions
  readonly only: Uint8Array | undefined
}

/** The options for traces that are written to files. */
export const FileTraceConfig: WireType<FileTrace> = inputType(
  fileConfig
    .meta({ id: 'FileTraceConfig', title: 'trace-to-file config' })
    .transform(({ txHash, ...given }) => ({ options: toOptions(given), only: txHash ?? undefined })),
)

export interface CallTrace {
  readonly options: TraceOptions
  readonly stateOverrides: readonly AccountOverride[] | undefined
  readonly blockOverrides: BlockOverride | undefined
  readonly transactionIndex: bigint | undefined
}

/** The options for the trace of a call, with its overrides. */
export const CallTraceConfig: WireType<CallTrace> = inputType(
  callConfig
    .meta({ id: 'CallTraceConfig', title: 'trace config of a call' })
    .transform(({ stateOverrides, blockOverrides, txIndex, ...given }) => ({
      options: toOptions(given),
      stateOverrides: stateOverrides ?? undefined,
      blockOverrides: blockOverrides ?? undefined,
      transactionIndex: txIndex ?? undefined,
    })),
)

/** The output of a tracer, in whatever shape the tracer has. */
export const TraceResult = plainType(z.unknown().describe('The output of the tracer'))

export const ExecutionWitness = plainType(
  z
    .object({
      state: z
        .array(dataText)
        .describe('The RLP of trie nodes of the parent state, in the order of their bytes'),
      codes: z.array(dataText).describe('The code that is run or read, in the order of its bytes'),
      keys: z.array(dataText).describe('The addresses and slots that are read, in the order of their bytes'),
      headers: z
        .array(dataText)
        .describe(
          'The RLP of headers up to the parent, the oldest first: more than one where BLOCKHASH reads them',
        ),
    })
    .meta({ id: 'ExecutionWitness', title: 'execution witness' }),
)

export const BlockTraceResult = plainType(
  z
    .array(
      z.object({ txHash: hashText.optional(), result: z.unknown().optional(), error: z.string().optional() }),
    )
    .describe('For each transaction the output of the tracer, or why it failed'),
)
