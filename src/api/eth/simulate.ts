import type { SimulationErrorKind } from '../../chain/state/simulation.ts'
import { errorCodes, RpcError } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { RawJson } from '../../rpc/rawJson.ts'
import { latest } from '../answers/lookup.ts'
import { servedMethod } from '../method.ts'
import { Block } from '../wire/block.ts'
import { alice, bob, simulatedBlock } from '../wire/exampleValues.ts'
import { SimulatedBlocks, SimulationRequest } from '../wire/simulation.ts'
import { simulationLimitCode } from '../wire/simulationLimits.ts'

/** The error codes that execution-apis defines for this method. */
const codes: Readonly<Record<SimulationErrorKind, number>> = {
  'nonce too low': -38010,
  'nonce too high': -38011,
  'fee cap too low': -38012,
  'intrinsic gas too low': -38013,
  'insufficient funds': -38014,
  'block gas limit': -38015,
  'block number': -38020,
  'block timestamp': -38021,
  'init code size': -38025,
  'too many blocks': simulationLimitCode,
  'answer too large': errorCodes.tooLarge,
  'invalid transaction': errorCodes.invalidParams,
  other: errorCodes.internal,
}

const simulationError = (kind: SimulationErrorKind, message: string): RpcError =>
  new RpcError(codes[kind], message)

export const simulationMethods = [
  servedMethod({
    name: 'eth_simulateV1',
    summary: 'Makes blocks of calls on top of a block, each on what the one before it left, and keeps none.',
    work: 'evm',
    belowFork: { kind: 'state', param: 'block' },
    params: [
      param('simulation', SimulationRequest, 'Blocks with their calls, and how they are to run.'),
      optionalParam('block', Block, 'The block that they follow; latest when missing.'),
    ],
    result: { name: 'blocks', type: SimulatedBlocks },
    examples: [
      {
        name: 'a transfer',
        params: [
          { blockStateCalls: [{ calls: [{ from: alice, to: bob, value: '0x1' }] }], traceTransfers: true },
          'latest',
        ],
        result: [simulatedBlock],
      },
    ],
    handler: async ([simulation, block], { chain }, { signal }) => {
      const { json, failure } = await chain.executor.simulate(simulation, block ?? latest, signal)
      if (failure !== undefined) throw simulationError(failure.kind, failure.message)
      return new RawJson(json)
    },
  }),
]
