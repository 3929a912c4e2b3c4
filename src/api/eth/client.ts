import { toQuantity } from '../../base/encoding/hex.ts'
import { mapMaybePromise } from '../answers/lookup.ts'
import { publicMethod, servedMethod } from '../method.ts'
import { Quantity, Uint64 } from '../wire/quantity.ts'
import { Syncing } from '../wire/results.ts'

/** Version 68 of the Ethereum wire protocol, which clients expect whatever protocol the engine uses. */
const protocolVersion = 0x44n

export const clientMethods = [
  servedMethod({
    name: 'eth_protocolVersion',
    summary: 'Gives the version of the Ethereum protocol that this service answers for.',
    params: [],
    result: { name: 'version', type: Uint64 },
    examples: [{ name: 'version 68', params: [], result: '0x44' }],
    handler: () => protocolVersion,
  }),
  servedMethod({
    name: 'eth_chainId',
    summary: 'Gives the chain id that transactions sign (EIP-155).',
    params: [],
    result: { name: 'chainId', type: Quantity },
    examples: [{ name: 'the chain of a first start', params: [], result: '0x7a69' }],
    handler: (_, { chain }) => chain.config.chainId,
  }),
  publicMethod({
    name: 'eth_syncing',
    summary: 'Tells how far the node is behind the chain; false when it is not.',
    params: [],
    result: { name: 'status', type: Syncing },
    examples: [
      { name: 'in step', params: [], result: false },
      {
        name: 'behind',
        params: [],
        result: { startingBlock: '0x0', currentBlock: '0x1f4', highestBlock: '0x3e8' },
      },
    ],
    handler: (_, { chain }) =>
      mapMaybePromise(chain.network.syncing(), (progress) =>
        progress === undefined
          ? (false as const)
          : {
              startingBlock: toQuantity(progress.startingBlock),
              currentBlock: toQuantity(progress.currentBlock),
              highestBlock: toQuantity(progress.highestBlock),
            },
      ),
  }),
]
