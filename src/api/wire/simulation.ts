import { z } from 'zod'
import type { BlockStateCalls, Simulation } from '../../chain/state/simulation.ts'
import { RpcError } from '../../rpc/errors.ts'
import { limitedList } from '../../rpc/limitedTypes.ts'
import { inputType, plainType, type WireType } from '../../rpc/wireType.ts'
import { dataText } from './data.ts'
import { BlockOverrides, StateOverrides } from './overrides.ts'
import { uint64Text } from './quantity.ts'
import { block, log } from './results.ts'
import { nestedCounts, simulationLimitCode, simulationLimits } from './simulationLimits.ts'
import { Transaction } from './transactionRequest.ts'

const limits = simulationLimits

const tooManyBlocks = (): RpcError => new RpcError(simulationLimitCode, 'too many blocks')

const tooManyCallsOfBlock = (count: number): RpcError =>
  new RpcError(simulationLimitCode, `too many calls in block: ${count} > ${limits.callsOfBlock}`)

/** Counts the calls of all blocks before one of them is decoded. */
const checkCalls = (blocks: readonly unknown[]): RpcError | undefined => {
  const counts = nestedCounts(blocks, 'calls')
  const tooMany = counts.find((count) => count > limits.callsOfBlock)
  if (tooMany !== undefined) return tooManyCallsOfBlock(tooMany)
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total <= limits.calls) return undefined
  return new RpcError(simulationLimitCode, `too many calls: ${total} > ${limits.calls}`)
}

const flag = z.boolean({ error: 'expected true or false' }).nullish()

const simulatedBlock = z
  .object(
    {
      blockOverrides: BlockOverrides.schema.nullish(),
      stateOverrides: StateOverrides.schema.nullish(),
      calls: limitedList(Transaction.schema, {
        max: limits.callsOfBlock,
        error: 'expected an array of transactions',
        decodeUsual: Transaction.decodeUsual,
        tooMany: tooManyCallsOfBlock,
      }).nullish(),
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
        blockStateCalls: limitedList(simulatedBlock, {
          max: limits.blocks,
          error: 'expected an array of blocks',
          tooMany: tooManyBlocks,
          check: checkCalls,
        })
          .min(1, { error: 'expected at least one block' })
          .describe(
            'Blocks in their order, at most 256 with those that fill gaps; at most 10,000 calls in all',
          ),
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
