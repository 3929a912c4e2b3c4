import { z } from 'zod'
import { plain, type Wire } from '../../rpc/wire.ts'
import { hashText } from './data.ts'

const opcodeLog = {
  enableMemory: z.boolean().nullish().describe('Opcode log: with memory'),
  disableStack: z.boolean().nullish().describe('Opcode log: without the stack'),
  disableStorage: z.boolean().nullish().describe('Opcode log: without storage'),
  enableReturnData: z.boolean().nullish().describe('Opcode log: with return data'),
  limit: z.int().min(0).nullish().describe('Opcode log: the most entries, 0 for all'),
  overrides: z.record(z.string(), z.unknown()).nullish().describe('Chain rules other than the real ones'),
}

const error = 'expected a trace config object'

const config = z
  .object(
    {
      ...opcodeLog,
      tracer: z.string({ error: 'expected the name or the script of a tracer' }).nullish(),
      tracerConfig: z.unknown().optional().describe('Settings of the named tracer'),
      timeout: z.string({ error: 'expected a duration such as "10s"' }).nullish(),
      reexec: z.int().min(0).nullish().describe('Ignored: every kept state is there'),
    },
    { error },
  )
  .meta({ id: 'TraceConfig', title: 'trace config' })

/** How to trace: which tracer, and what the opcode log (the default) holds. */
export const TraceConfig: Wire<z.output<typeof config>> = plain(config)

const fileConfig = z
  .object({ ...opcodeLog, txHash: hashText.nullish().describe('Only this transaction') }, { error })
  .meta({ id: 'FileTraceConfig', title: 'trace-to-file config' })

/** How to trace into files. */
export const FileTraceConfig: Wire<z.output<typeof fileConfig>> = plain(fileConfig)

/** What a tracer returned: its shape is the tracer's own. */
export const TraceResult = plain(z.unknown().describe('The output of the tracer'))

export const BlockTraceResult = plain(
  z
    .array(
      z.object({ txHash: hashText.optional(), result: z.unknown().optional(), error: z.string().optional() }),
    )
    .describe('For each transaction the output of the tracer, or why it failed'),
)
