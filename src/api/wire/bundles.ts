import { z } from 'zod'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { CallBundle } from '../../chain/port/executor.ts'
import { invalidParams, type RpcError } from '../../rpc/errors.ts'
import { limitedList } from '../../rpc/limitedTypes.ts'
import { inputType, type WireType } from '../../rpc/wireType.ts'
import { Block } from './block.ts'
import { BlockOverrides } from './overrides.ts'
import { nestedCounts, simulationLimits } from './simulationLimits.ts'
import { Transaction } from './transactionRequest.ts'

/** Counts the transactions of all bundles before one of them is decoded. */
const checkTransactions = (bundles: readonly unknown[]): RpcError | undefined => {
  const total = nestedCounts(bundles, 'transactions').reduce((sum, count) => sum + count, 0)
  if (total <= simulationLimits.calls) return undefined
  return invalidParams(
    `invalid argument 0 (bundles): expected at most ${simulationLimits.calls} transactions in all, got ${total}`,
  )
}

const bundle = z.object(
  {
    transactions: limitedList(Transaction.schema, {
      max: simulationLimits.callsOfBlock,
      error: 'expected an array of transactions',
      decodeUsual: Transaction.decodeUsual,
    }),
    blockOverride: BlockOverrides.schema.nullish(),
  },
  { error: 'expected an object with transactions and blockOverride' },
)

/** Lists of calls, each of which is executed in one of several consecutive blocks. */
export const Bundles: WireType<readonly CallBundle[]> = inputType(
  limitedList(bundle, {
    max: simulationLimits.blocks,
    error: 'expected an array of bundles',
    check: checkTransactions,
  })
    .min(1, { error: 'expected at least one bundle' })
    .transform((given) =>
      given.map(({ transactions, blockOverride }) => ({
        requests: transactions,
        blockOverrides: blockOverride ?? undefined,
      })),
    ),
)

/** The block and transaction index at which the bundles start. */
export interface BundleContext {
  readonly block: BlockRef | undefined
  /** The index of the transaction before which they run; undefined to run after all of them. */
  readonly index: number | undefined
}

export const BundleContextType: WireType<BundleContext> = inputType(
  z
    .object(
      {
        blockNumber: Block.schema.nullish().describe('latest when missing'),
        transactionIndex: z
          .int()
          .min(-1)
          .nullish()
          .describe('-1 or missing: after all transactions of the block'),
      },
      { error: 'expected an object with blockNumber and transactionIndex' },
    )
    .meta({ id: 'SimulationContext', title: 'place in the chain' })
    .transform(({ blockNumber, transactionIndex }) => ({
      block: blockNumber ?? undefined,
      index: transactionIndex == null || transactionIndex < 0 ? undefined : transactionIndex,
    })),
)
