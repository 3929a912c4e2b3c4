import { z } from 'zod'
import { plainType } from '../../rpc/wireType.ts'
import { addressText, dataText } from './data.ts'
import { wholeNumber } from './quantity.ts'

/** The most steps of one piece, which the tracer holds to too. */
const maxSteps = 256

export const StepNumber = plainType(wholeNumber(0, Number.MAX_SAFE_INTEGER, 'a whole number'))
export const StepCount = plainType(wholeNumber(1, maxSteps, `a whole number from 1 to ${maxSteps}`))

const step = z.object({
  step: z.number().describe('Its number'),
  pc: z.number(),
  op: z.string(),
  depth: z.number().describe('1 for the outermost frame'),
  gas: z.number(),
  gasCost: z.number(),
  address: addressText.describe('The account whose storage is used'),
  code: z
    .union([addressText, z.null()])
    .describe('The account whose code runs; null while a contract is created'),
  error: z.string().optional().describe('Why it was not executed'),
  stack: z.array(z.string()).describe('The lowest first'),
  memorySize: z.number(),
  memory: dataText.describe('Its first 16384 bytes'),
})

const markKind = z.enum(['enter', 'leave', 'store', 'fail'])

const mark = z.object({
  kind: markKind,
  step: z.number(),
  depth: z.number(),
  address: addressText.optional().describe('The account, for a write of storage'),
  slot: z.string().optional(),
  value: z.string().optional(),
})

export const TraceSteps = plainType(
  z
    .object({
      steps: z.array(step),
      count: z
        .number()
        .describe(
          'The steps of this piece; fewer than requested at the end of the transaction, or where the piece would have more than about 8 MB',
        ),
      total: z.number().describe('The steps of the whole transaction'),
      failed: z.boolean(),
      marks: z
        .array(mark)
        .describe(
          'Where frames begin and are left, where storage is written, where something fails; the first 1000 of each kind, of the failures the last 1000',
        ),
      marksCut: z.array(markKind).describe('The kinds that `marks` does not have all of'),
    })
    .describe('A piece of the steps of a transaction'),
)
