import { z } from 'zod'
import type { BlockNumberOrTag } from '../../chain/port/blockRef.ts'
import type { LogPattern } from '../../chain/port/logs.ts'
import { decodeValue } from '../../rpc/decode.ts'
import { RpcError } from '../../rpc/errors.ts'
import { limitedList, limitedRecord } from '../../rpc/limitedTypes.ts'
import { plainType } from '../../rpc/wireType.ts'
import { BlockNumber } from './block.ts'
import { Hash } from './data.ts'
import { Filter } from './filter.ts'

/** The kinds, and which process feeds them: a serving process from the store, or the main process, which has pool and engine. */
export const subscriptionKinds = {
  newHeads: 'serving',
  logs: 'serving',
  newPendingTransactions: 'main',
  syncing: 'main',
  transactionReceipts: 'serving',
} as const

const kinds = Object.keys(subscriptionKinds) as (keyof typeof subscriptionKinds)[] // a literal has no other keys

export const SubscriptionKind = plainType(z.enum(kinds, { error: `expected one of ${kinds.join(', ')}` }))

/** More than any kind has. */
const maxOptions = 16

/** The options of a subscription, which depend on its kind. */
export const SubscriptionOptions = plainType(
  z
    .union([z.boolean(), limitedRecord(z.string(), z.unknown(), { max: maxOptions })], {
      error: 'expected an object or a boolean',
    })
    .describe(
      'newHeads: {includeTransactions, fromBlock}; logs: {address, topics, fromBlock}; ' +
        'newPendingTransactions: true for whole transactions; transactionReceipts: {transactionHashes}. ' +
        'fromBlock: everything from that block on is sent first.',
    ),
)

/** The maximum number of transactions in one subscription, as in geth. */
const maxHashes = 200

const fromBlock = BlockNumber.schema.nullish()
const flag = z.boolean({ error: 'expected true or false' }).nullish()

const headOptions = z.strictObject({ includeTransactions: flag, fromBlock })

const endless = 'expected no end: a subscription to logs has fromBlock, address and topics'

const logOptions = z.object({
  fromBlock,
  toBlock: z
    .union([z.enum(['latest', 'pending', 'safe', 'finalized']), z.null()], { error: endless })
    .optional(),
  blockHash: z.null({ error: endless }).optional(),
  blockhash: z.null({ error: endless }).optional(),
  address: z.unknown().optional(),
  topics: z.unknown().optional(),
})

const receiptOptions = z.strictObject({
  transactionHashes: limitedList(Hash.schema, {
    max: maxHashes,
    error: 'expected an array of transaction hashes',
    message: `expected at most ${maxHashes} transaction hashes`,
  }).nullish(),
})

type Options = z.output<typeof SubscriptionOptions.schema> | undefined

export interface HeadOptions {
  readonly includesTransactions: boolean
  readonly fromBlock: BlockNumberOrTag | undefined
}

export const parseHeadOptions = (options: Options): HeadOptions => {
  const read = decode(headOptions, options ?? {})
  return { includesTransactions: read.includeTransactions ?? false, fromBlock: read.fromBlock ?? undefined }
}

export const parseLogOptions = (
  options: Options,
): { readonly pattern: LogPattern; readonly fromBlock: BlockNumberOrTag | undefined } => {
  const { address, topics, fromBlock: from } = decode(logOptions, options ?? {})
  const filter = decode(Filter.schema, { address, topics })
  return { pattern: { addresses: filter.addresses, topics: filter.topics }, fromBlock: from ?? undefined }
}

export const parseNoOptions = (options: Options): void => void decode(z.strictObject({}), options ?? {})

/** Returns whether whole transactions are requested. */
export const parsePendingOptions = (options: Options): boolean => {
  if (typeof options === 'boolean') return options
  parseNoOptions(options)
  return false
}

export const parseReceiptOptions = (options: Options): readonly Uint8Array[] =>
  decode(receiptOptions, options ?? {}).transactionHashes ?? []

const decode = <T>(schema: z.ZodType<T>, options: unknown): T => {
  const decoded = decodeValue(schema, options, { position: 1, name: 'options' })
  if (decoded instanceof RpcError) throw decoded
  return decoded.value
}
