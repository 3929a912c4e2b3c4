import { toHex } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { NodeIdentity, Peer } from '../../chain/port/network.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import type { TransportOverrides } from '../../rpc/transport/overrides.ts'
import { boundedString, inputType, patternString, plainType } from '../../rpc/wireType.ts'
import { Done } from '../answers/done.ts'
import { firstNumber, mapMaybePromise } from '../answers/lookup.ts'
import { privateMethod } from '../method.ts'
import { defineUnsupported } from '../unsupported/defineUnsupported.ts'
import { Flag, Text } from '../wire/basic.ts'
import { blockHash } from '../wire/exampleValues.ts'
import { NodeInfo, Peers } from '../wire/peers.ts'
import { wholeNumber } from '../wire/quantity.ts'

/** Returns the node as `admin_nodeInfo` shows it: what its engine announces to peers, and the head of its chain. */
const toNodeInfo = async (chain: Chain, clientVersion: string) => {
  const self = await chain.network.self()
  const genesis = chain.blocks.hash(firstNumber(chain)) ?? new Uint8Array(32)
  return {
    ...(self === undefined ? {} : describeSelf(self)),
    name: clientVersion,
    protocols: {
      eth: {
        network: Number(chain.config.chainId),
        genesis: toHex(genesis),
        head: toHex(chain.head().hash),
      },
      ...(self === undefined ? {} : { engine: { version: self.version } }),
    },
  }
}

const describeSelf = ({ id, name, address }: NodeIdentity) => {
  const colon = address.lastIndexOf(':')
  return {
    id,
    moniker: name,
    ip: address.slice(0, colon),
    ports: { listener: Number(address.slice(colon + 1)) },
    listenAddr: address,
  }
}

const toPeerInfo = ({ id, name, address, version, isInbound }: Peer) => ({
  id,
  name,
  network: { remoteAddress: address, inbound: isInbound },
  protocols: { engine: { version } },
})

const maxListLength = 4_096

/** The comma-separated form in which geth takes lists. */
const CommaList = inputType(
  boundedString(maxListLength, `expected names separated by commas, at most ${maxListLength} characters`)
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
  optionalParam('port', plainType(wholeNumber(0, 65_535, 'a port number')), 'The port; 0 picks a free one.'),
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

/** A peer in the engine's notation, in which the id is the hash of the node's key. */
const PeerAddress = plainType(
  patternString(
    /^[0-9a-f]{40}@[^\s@:]+:[0-9]{1,5}$/,
    'a peer: 40 hex digits, @, its host, a colon and its port',
  ),
)

const KeptPeer = plainType(
  patternString(/^[0-9a-f]{40}(?:@[^\s@:]+:[0-9]{1,5})?$/, 'a peer: 40 hex digits, or as it was added'),
)

const started = { name: 'started', type: Done }
const stopped = { name: 'stopped', type: Flag }

const startHttp = (name: string, summary: string) =>
  privateMethod({
    name,
    summary,
    params: listenParams,
    result: started,
    examples: [{ name: 'on a port', params: ['127.0.0.1', 8545], result: true }],
    handler: (args, { transports }) => transports.startHttp(toOptions(args)),
  })

const stopHttp = (name: string, summary: string) =>
  privateMethod({
    name,
    summary,
    params: [],
    result: stopped,
    examples: [{ name: 'stopped', params: [], result: true }],
    handler: (_, { transports }) => transports.stopHttp(),
  })

const trustedPeers =
  'CometBFT has no trusted peers: unconditional_peer_ids and persistent_peers of its configuration are nearest'

export const adminMethods = [
  privateMethod({
    name: 'admin_datadir',
    summary: 'Gives the home folder of the node.',
    params: [],
    result: { name: 'folder', type: Text },
    examples: [{ name: 'a home', params: [], result: '/var/lib/perihelion' }],
    handler: (_, { home }) => home,
  }),
  privateMethod({
    name: 'admin_nodeInfo',
    summary: 'Describes this node as its peers see it.',
    params: [],
    result: { name: 'node', type: NodeInfo },
    examples: [
      {
        name: 'a chain of one process',
        params: [],
        result: {
          name: 'perihelion/v0.1.0/linux-x64/node20.20.2',
          protocols: { eth: { network: 31_337, genesis: blockHash, head: blockHash } },
        },
      },
      {
        name: 'a validator among others',
        params: [],
        result: {
          id: 'e2b6a9ac75b1a6c2bd8b3aed7a5f8d6f0a2c1b3d',
          name: 'perihelion/v0.1.0/linux-x64/node20.20.2',
          moniker: 'north',
          ip: '203.0.113.7',
          ports: { listener: 26_656 },
          listenAddr: '203.0.113.7:26656',
          protocols: {
            eth: { network: 31_337, genesis: blockHash, head: blockHash },
            engine: { version: '0.38.26' },
          },
        },
      },
    ],
    handler: async (_, { chain, clientVersion }) => toNodeInfo(chain, clientVersion),
  }),
  privateMethod({
    name: 'admin_peers',
    summary: 'Lists the peers that are connected.',
    params: [],
    result: { name: 'peers', type: Peers },
    examples: [{ name: 'none', params: [], result: [] }],
    handler: (_, { chain }) => mapMaybePromise(chain.network.peers(), (peers) => peers.map(toPeerInfo)),
  }),
  privateMethod({
    name: 'admin_addPeer',
    summary: 'Asks the consensus engine to connect to a peer and to keep it.',
    params: [param('peer', PeerAddress, 'The peer: id@host:port.')],
    result: { name: 'added', type: Flag },
    examples: [],
    handler: ([peer], { chain }) => chain.control.addPeer(peer),
  }),
  privateMethod({
    name: 'admin_removePeer',
    summary:
      'Keeps a peer no more, so that it is not dialed again, and returns whether it was kept; an open connection is NOT cut, for which CometBFT has no call, and ' +
      'ends when the peer leaves or this node restarts.',
    params: [param('peer', KeptPeer, 'The peer: its id, or id@host:port.')],
    result: { name: 'removed', type: Flag },
    examples: [],
    handler: ([peer], { chain }) => chain.control.removePeer(peer),
  }),
  defineUnsupported('admin_addTrustedPeer', 'trusts a peer', trustedPeers, ['peer']),
  defineUnsupported('admin_removeTrustedPeer', 'trusts a peer no more', trustedPeers, ['peer']),
  defineUnsupported(
    'admin_peerEvents',
    'reports peers that come and go',
    'the engine does not tell when peers come and go: poll admin_peers, or read its metrics',
  ),
  defineUnsupported(
    'admin_exportChain',
    'writes the chain to a file',
    'files of chains are written by `perihelion export`, also while a node runs on the home',
    ['file', 'first', 'last'],
  ),
  defineUnsupported(
    'admin_importChain',
    'reads blocks from a file',
    'blocks come from the engine; a chain is taken from files by `perihelion import`, before the first start',
    ['file'],
  ),
  startHttp('admin_startRPC', 'Starts serving HTTP.'),
  stopHttp('admin_stopRPC', 'Stops serving HTTP; false where it was not served.'),
  startHttp('admin_startHTTP', 'Starts serving HTTP: the name that geth has for it now.'),
  stopHttp('admin_stopHTTP', 'Stops serving HTTP: the name that geth has for it now.'),
  privateMethod({
    name: 'admin_startWS',
    summary: 'Starts serving WebSocket.',
    params: listenParams,
    result: started,
    examples: [{ name: 'on a port', params: ['127.0.0.1', 8546], result: true }],
    handler: (args, { transports }) => transports.startWs(toOptions(args)),
  }),
  privateMethod({
    name: 'admin_stopWS',
    summary: 'Stops serving WebSocket; false where it was not served.',
    params: [],
    result: stopped,
    examples: [{ name: 'stopped', params: [], result: true }],
    handler: (_, { transports }) => transports.stopWs(),
  }),
]
