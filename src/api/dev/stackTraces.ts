import { z } from 'zod'
import { param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { stackTraceLines } from '../../solidity/printTrace.ts'
import { traceFailedTransaction } from '../../solidity/traceFailure.ts'
import { addressText, Hash } from '../wire/data.ts'
import { transactionHash } from '../wire/exampleValues.ts'
import { devMethod } from './devMethod.ts'

const StackTraceOrNull = plainType(
  z.union([
    z
      .object({
        cause: z.string().optional().describe('What the source says of the cause, where the error is empty'),
        frames: z
          .array(
            z.object({
              address: addressText.describe('Whose code it is'),
              contract: z.string().optional(),
              function: z.string().optional(),
              file: z.string().optional(),
              line: z.number().optional(),
            }),
          )
          .describe('The innermost first'),
        lines: z.array(z.string()).describe('The frames as they are printed'),
      })
      .describe('Where it failed'),
    z.null(),
  ]),
)

/** The methods that say where in the source an execution failed. */
export const stackTraceMethods = [
  ...devMethod({
    names: ['perihelion_stackTrace'],
    summary:
      'Gives the Solidity stack trace of a failed transaction; null if it succeeded or ran no contract whose artifacts the node has.',
    work: 'trace',
    params: [param('transactionHash', Hash, 'Hash of the transaction.')],
    result: { name: 'stackTrace', type: StackTraceOrNull },
    examples: [{ name: 'a transaction that succeeded', params: [transactionHash], result: null }],
    handler: async ([hash], _dev, context, { signal }) => {
      const trace = await traceFailedTransaction(context, hash, signal)
      if (trace === undefined) return null
      const frames = trace.frames.map(({ ...frame }) => frame)
      return { cause: trace.cause, frames, lines: [...stackTraceLines(trace)] }
    },
  }),
]
