import { z } from 'zod'
import type { BlockStateCalls, Simulation } from '../../chain/state/simulation.ts'
import { inputType, plainType, type WireType } from '../../rpc/wireType.ts'
import { dataText } from './data.ts'
import { BlockOverrides, StateOverrides } from './overrides.ts'
import { uint64Text } from './quantity.ts'
import { block, log } from './results.ts'
import { Transaction } from './transactionRequest.ts'

const flag = z.boolean({ error: 'expected true or false' }).nullish()

const simulatedBlock = z
  .object(
    {
      blockOverrides: BlockOverrides.schema.nullish(),
      stateOverrides: StateOverrides.schema.nullish(),
      calls: z.array(Transaction.schema, { error: 'expected an array of transactions' }).nullish(),
    },
    { error: 'expected an object with calls, blockOverrides and stateOverrides' },
  )
  .transform(
    ({ blockOverrides, stateOverrides, calls }): BlockStateCalls => ({
      blockOverrides: blockOverrides ?? undefined,
      stateOverrides: stateOverrides ?? undefined,
      calls: calls ?? [],
    }),
  )

/** The blocks and calls to simulate. */
export const SimulationRequest: WireType<Simulation> = inputType(
  z
    .object(
      {
        blockStateCalls: z
          .array(simulatedBlock, { error: 'expected an array of blocks' })
          .min(1, { error: 'expected at least one block' })
          .describe('Blocks in their order, at most 256 with those that fill gaps'),
        traceTransfers: flag.describe('Log transfers of the native coin as if it were a token'),
        validation: flag.describe('Check nonces and fees as in a block of the chain'),
        returnFullTransactions: flag.describe('Whole transactions, not only their hashes'),
      },
      { error: 'expected an object with blockStateCalls' },
    )
    .meta({ id: 'Simulation', title: 'simulation' })
    .transform(({ blockStateCalls, traceTransfers, validation, returnFullTransactions }) => ({
      blocks: blockStateCalls,
      traceTransfers: traceTransfers ?? false,
      validation: validation ?? false,
      returnFullTransactions: returnFullTransactions ?? false,
    })),
)

const call = z.object({
  returnData: dataText,
  logs: z.array(log),
  gasUsed: uint64Text,
  maxUsedGas: uint64Text.describe('At its highest, before refunds'),
  status: uint64Text.describe('0x1 success, 0x0 failure'),
  error: z
    .object({ message: z.string(), code: z.int(), data: dataText.optional() })
    .optional()
    .describe('Where it failed; data is what a revert gave'),
})

/** The simulated blocks with the results of their calls. */
export const SimulatedBlocks = plainType(
  z.array(block.extend({ calls: z.array(call) }).meta({ id: 'SimulatedBlock', title: 'simulated block' })),
)
