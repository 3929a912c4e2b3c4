import { z } from 'zod'
import { optionalParam, param } from '../rpc/method.ts'
import type { TransportOverrides } from '../rpc/server.ts'
import { incoming, plain } from '../rpc/wire.ts'
import { method } from './method.ts'
import { notYet } from './unsupported.ts'
import { anObject, Flag, Text, True } from './wire/basic.ts'
import { wholeNumber } from './wire/quantity.ts'

/** geth's form for lists. */
const CommaList = incoming(
  z
    .string({ error: 'expected names separated by commas' })
    .describe('Separated by commas')
    .transform((text): readonly string[] =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),
)

const listenParams = [
  optionalParam('host', Text, 'The address to listen on; the configured one when missing.'),
  optionalParam('port', plain(wholeNumber(0, 65_535, 'a port number')), 'The port; 0 picks a free one.'),
  optionalParam('cors', CommaList, 'Origins of web pages that may call.'),
  optionalParam('apis', CommaList, 'Namespaces to serve.'),
  optionalParam('vhosts', CommaList, 'Names accepted in the Host header.'),
] as const

type ListenArgs = readonly [
  host: string | undefined,
  port: number | undefined,
  cors: readonly string[] | undefined,
  apis: readonly string[] | undefined,
  vhosts: readonly string[] | undefined,
]

const toOptions = ([host, port, cors, apis, vhosts]: ListenArgs): TransportOverrides => ({
  host,
  port,
  cors,
  apis,
  vhosts,
})

const started = { name: 'started', type: True }
const stopped = { name: 'stopped', type: Flag }

export const adminMethods = [
  method({
    name: 'admin_datadir',
    summary: 'Gives the home folder of the node.',
    access: 'private',
    params: [],
    result: { name: 'folder', type: Text },
    examples: [{ name: 'a home', params: [], result: '/var/lib/perihelion' }],
    handler: (_, { home }) => home,
  }),
  method({
    name: 'admin_nodeInfo',
    summary: 'Describes this node as its peers see it.',
    access: 'private',
    params: [],
    result: { name: 'node', type: anObject('Id, name, addresses and protocols') },
    examples: [],
    handler: notYet,
  }),
  method({
    name: 'admin_peers',
    summary: 'Lists the peers that are connected.',
    access: 'private',
    params: [],
    result: { name: 'peers', type: plain(z.array(z.record(z.string(), z.unknown()))) },
    examples: [{ name: 'none', params: [], result: [] }],
    handler: notYet,
  }),
  method({
    name: 'admin_addPeer',
    summary: 'Asks the consensus engine to connect to a peer and to keep it.',
    access: 'private',
    params: [param('peer', Text, 'The peer: id@host:port.')],
    result: { name: 'added', type: Flag },
    examples: [],
    handler: notYet,
  }),
  method({
    name: 'admin_startRPC',
    summary: 'Starts serving HTTP.',
    access: 'private',
    params: listenParams,
    result: started,
    examples: [{ name: 'on a port', params: ['127.0.0.1', 8545], result: true }],
    handler: async (args, { transports }) => {
      await transports.startHttp(toOptions(args))
      return true as const
    },
  }),
  method({
    name: 'admin_stopRPC',
    summary: 'Stops serving HTTP; false where it was not served.',
    access: 'private',
    params: [],
    result: stopped,
    examples: [{ name: 'stopped', params: [], result: true }],
    handler: (_, { transports }) => transports.stopHttp(),
  }),
  method({
    name: 'admin_startWS',
    summary: 'Starts serving WebSocket.',
    access: 'private',
    params: listenParams,
    result: started,
    examples: [{ name: 'on a port', params: ['127.0.0.1', 8546], result: true }],
    handler: async (args, { transports }) => {
      await transports.startWs(toOptions(args))
      return true as const
    },
  }),
  method({
    name: 'admin_stopWS',
    summary: 'Stops serving WebSocket; false where it was not served.',
    access: 'private',
    params: [],
    result: stopped,
    examples: [{ name: 'stopped', params: [], result: true }],
    handler: (_, { transports }) => transports.stopWs(),
  }),
]
