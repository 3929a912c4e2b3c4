import { z } from 'zod'
import { patternString, plainType } from '../../rpc/wireType.ts'
import { method } from '../method.ts'
import { Flag } from '../wire/basic.ts'

export const netMethods = [
  method({
    name: 'net_version',
    summary: 'Gives the network id, which is the EIP-155 chain id in decimal.',
    access: 'public',
    answeredBy: 'serving',
    params: [],
    result: { name: 'networkId', type: plainType(patternString(/^\d+$/, 'a decimal number')) },
    examples: [{ name: 'the chain of a first start', params: [], result: '31337' }],
    handler: (_, { chain }) => String(chain.config.chainId),
  }),
  method({
    name: 'net_peerCount',
    summary: 'Counts the peers that are connected now, as a JSON number.',
    access: 'public',
    params: [],
    result: { name: 'peers', type: plainType(z.int().min(0)) },
    examples: [{ name: 'three peers', params: [], result: 3 }],
    handler: (_, { chain }) => chain.network.peerCount(),
  }),
  method({
    name: 'net_listening',
    summary: 'Tells whether the node is listening for network connections, of peers or of clients.',
    access: 'public',
    params: [],
    result: { name: 'listening', type: Flag },
    examples: [{ name: 'listening', params: [], result: true }],
    handler: (_, { chain, transports }) => transports.isListening() || chain.network.isListening,
  }),
]
