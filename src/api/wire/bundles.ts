import { z } from 'zod'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { CallBundle } from '../../chain/port/executor.ts'
import { incoming, type Wire } from '../../rpc/wire.ts'
import { Block } from './block.ts'
import { BlockOverrides } from './overrides.ts'
import { Transaction } from './transactionRequest.ts'

const bundle = z.object(
  {
    transactions: z.array(Transaction.schema, { error: 'expected an array of transactions' }),
    blockOverride: BlockOverrides.schema.nullish(),
  },
  { error: 'expected an object with transactions and blockOverride' },
)

/** Calls that follow each other, in blocks that follow each other. */
export const Bundles: Wire<readonly CallBundle[]> = incoming(
  z
    .array(bundle, { error: 'expected an array of bundles' })
    .min(1, { error: 'expected at least one bundle' })
    .transform((given) =>
      given.map(({ transactions, blockOverride }) => ({
        requests: transactions,
        blockOverrides: blockOverride ?? undefined,
      })),
    ),
)

/** Where the bundles begin. */
export interface SimulationContext {
  readonly block: BlockRef | undefined
  /** The transaction of the block before which they run; undefined: after all of them. */
  readonly index: number | undefined
}

export const SimulationPlace: Wire<SimulationContext> = incoming(
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
