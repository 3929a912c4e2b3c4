import { z } from 'zod'
import { patternString, plainType } from '../../rpc/wireType.ts'
import { publicMethod, servedMethod } from '../method.ts'
import { Flag } from '../wire/basic.ts'

export const netMethods = [
  servedMethod({
    name: 'net_version',
    summary: 'Gives the network id, which is the EIP-155 chain id in decimal.',
    params: [],
    result: { name: 'networkId', type: plainType(patternString(/^\d+$/, 'a decimal number')) },
    examples: [{ name: 'the chain of a first start', params: [], result: '31337' }],
    handler: (_, { chain }) => String(chain.config.chainId),
  }),
  publicMethod({
    name: 'net_peerCount',
    summary: 'Counts the peers that are connected now, as a JSON number.',
    params: [],
    result: { name: 'peers', type: plainType(z.int().min(0)) },
    examples: [{ name: 'three peers', params: [], result: 3 }],
    handler: (_, { chain }) => chain.network.peerCount(),
  }),
  publicMethod({
    name: 'net_listening',
    summary: 'Tells whether the node is listening for network connections, of peers or of clients.',
    params: [],
    result: { name: 'listening', type: Flag },
    examples: [{ name: 'listening', params: [], result: true }],
    handler: (_, { chain, transports }) => transports.isListening() || chain.network.isListening,
  }),
]
