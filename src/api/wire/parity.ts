import { z } from 'zod'
import type { BlockNumberOrTag } from '../../chain/port/blockRef.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { limitedList } from '../../rpc/limitedTypes.ts'
import { inputType, plainType, type WireType } from '../../rpc/wireType.ts'
import { BlockNumber } from './block.ts'
import { Address, addressText, dataText, hashText } from './data.ts'
import { quantityText, Uint64, wholeNumber } from './quantity.ts'
import { Transaction } from './transactionRequest.ts'

/** The wire types of `trace_`, in Parity's format. */

const kinds = ['trace', 'stateDiff', 'vmTrace'] as const
export type TraceKind = (typeof kinds)[number]

const kindList = limitedList(z.enum(kinds, { error: `expected one of ${kinds.join(', ')}` }), {
  max: kinds.length,
  error: `expected an array of ${kinds.join(', ')}`,
})

/** What to answer with: the calls, the changes of the state, the instructions. */
export const TraceKinds: WireType<readonly TraceKind[]> = inputType(
  kindList.meta({ title: 'kinds of traces' }),
)

/** The most calls of one `trace_callMany`. */
const maxCalls = 1_000

export interface KindedCall {
  readonly request: TransactionRequest
  readonly kinds: readonly TraceKind[]
}

const pairWanted = 'a pair of a transaction and the kinds of its traces'

/** A pair. Its size is looked at before what is in it. */
const kindedCall = limitedList(z.unknown(), {
  max: 2,
  error: `expected ${pairWanted}`,
  message: `expected ${pairWanted}`,
})
  .describe(pairWanted)
  .pipe(z.tuple([Transaction.schema, kindList], { error: `expected ${pairWanted}` }))

/** Calls, each with the kinds of traces that are wanted of it. */
export const KindedCalls: WireType<readonly KindedCall[]> = inputType(
  limitedList(kindedCall, { max: maxCalls, error: 'expected an array of calls' })
    .min(1, { error: 'expected at least one call' })
    .transform((given) => given.map(([request, wanted]) => ({ request, kinds: wanted }))),
)

const countWanted = 'a whole number or a QUANTITY'

const count = z.union(
  [wholeNumber(0, Number.MAX_SAFE_INTEGER, countWanted), Uint64.schema.transform(toSafeNumber)],
  { error: `expected ${countWanted}` },
)

function toSafeNumber(value: bigint): number {
  return Number(value < BigInt(Number.MAX_SAFE_INTEGER) ? value : BigInt(Number.MAX_SAFE_INTEGER))
}

/** The most positions of `trace_get`: as many as calls can be deep. */
const maxPositions = 1_024

/** The position of a trace in its transaction. */
export const TracePositions: WireType<readonly number[]> = inputType(
  limitedList(count, { max: maxPositions, error: 'expected an array of positions' }),
)

/** The maximum number of addresses at each end. */
const maxAddresses = 1_000

const addresses = z
  .union([Address.schema, limitedList(Address.schema, { max: maxAddresses })], {
    error: 'expected an address or an array of addresses',
  })
  .nullish()

export interface TraceFilter {
  readonly fromBlock: BlockNumberOrTag | undefined
  readonly toBlock: BlockNumberOrTag | undefined
  readonly fromAddresses: readonly Uint8Array[]
  readonly toAddresses: readonly Uint8Array[]
  readonly mode: 'union' | 'intersection'
  readonly after: number
  readonly count: number | undefined
}

const oneOrMany = (given: Uint8Array | readonly Uint8Array[] | null | undefined): readonly Uint8Array[] => {
  if (given === null || given === undefined) return []
  return given instanceof Uint8Array ? [given] : given
}

export const TraceFilterType: WireType<TraceFilter> = inputType(
  z
    .object(
      {
        fromBlock: BlockNumber.schema.nullish().describe('The first block; the oldest when missing'),
        toBlock: BlockNumber.schema.nullish().describe('The last block; the latest when missing'),
        fromAddress: addresses.describe('Senders, creators or destroyed contracts; all when missing'),
        toAddress: addresses.describe('Recipients, created contracts or heirs; all when missing'),
        mode: z
          .enum(['union', 'intersection'], { error: 'expected union or intersection' })
          .nullish()
          .describe('Whether one of the two ends must match (union, the default), or both'),
        after: count.nullish().describe('How many matches to pass over'),
        count: count.nullish().describe('The most traces wanted'),
      },
      { error: 'expected a trace filter object' },
    )
    .meta({ id: 'TraceFilter', title: 'trace filter' })
    .transform((given) => ({
      fromBlock: given.fromBlock ?? undefined,
      toBlock: given.toBlock ?? undefined,
      fromAddresses: oneOrMany(given.fromAddress),
      toAddresses: oneOrMany(given.toAddress),
      mode: given.mode ?? 'union',
      after: given.after ?? 0,
      count: given.count ?? undefined,
    })),
)

const action = z
  .object({
    callType: z.enum(['call', 'callcode', 'delegatecall', 'staticcall']).optional(),
    creationMethod: z.enum(['create', 'create2']).optional(),
    from: addressText.optional(),
    to: addressText.optional(),
    gas: quantityText.optional().describe('Without what the transaction itself costs'),
    input: dataText.optional(),
    init: dataText.optional(),
    value: quantityText.optional(),
    address: addressText.optional().describe('The contract that destroys itself'),
    refundAddress: addressText.optional(),
    balance: quantityText.optional(),
    author: addressText.optional(),
    rewardType: z.enum(['block', 'uncle']).optional(),
  })
  .describe('What was done; its members depend on the type')

const outcome = z
  .object({
    gasUsed: quantityText,
    output: dataText.optional(),
    address: addressText.optional(),
    code: dataText.optional(),
  })
  .nullable()
  .describe('null for a destruction, and for a failure other than a revert')

const trace = {
  action,
  error: z.string().optional().describe('In the words of Parity, such as Reverted and Out of gas'),
  result: outcome,
  subtraces: z.int(),
  traceAddress: z.array(z.int()).describe('The positions that lead to it from the outermost call'),
  type: z.enum(['call', 'create', 'suicide', 'reward']),
}

const localizedTrace = z
  .object({
    ...trace,
    blockHash: hashText,
    blockNumber: z.int(),
    transactionHash: hashText.nullable(),
    transactionPosition: z.int().nullable(),
  })
  .meta({ id: 'ParityTrace', title: 'trace' })

export const LocalizedTraces = plainType(z.array(localizedTrace))
export const LocalizedTracesOrNull = plainType(z.array(localizedTrace).nullable())
export const LocalizedTraceOrNull = plainType(localizedTrace.nullable())

const full = z
  .object({
    output: dataText,
    trace: z.array(z.object(trace)).describe('Empty if it was not wanted'),
    stateDiff: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('By account: balance, code, nonce and storage, each =, + (new), - (gone) or * (from, to)'),
    vmTrace: z.unknown().describe('The code and its instructions, or null'),
    transactionHash: hashText.optional(),
  })
  .meta({ id: 'ParityTraces', title: 'traces of a transaction' })

export const FullTrace = plainType(full)
export const FullTraces = plainType(z.array(full))
