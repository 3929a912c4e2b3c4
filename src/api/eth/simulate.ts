import { type SimulationErrorKind, simulationCodes } from '../../chain/state/simulation.ts'
import { RpcError } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { RawJson } from '../../rpc/rawJson.ts'
import { latest } from '../answers/lookup.ts'
import { servedMethod } from '../method.ts'
import { Block } from '../wire/block.ts'
import { alice, bob, simulatedBlock } from '../wire/exampleValues.ts'
import { SimulatedBlocks, SimulationRequest } from '../wire/simulation.ts'

const simulationError = (kind: SimulationErrorKind, message: string): RpcError =>
  new RpcError(simulationCodes[kind], message)

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
