import { isGoDuration, parseGoDuration } from '../../../base/encoding/goDuration.ts'
import { formatSocketAddress, type SocketAddress } from '../../../base/encoding/socketAddress.ts'

/** The settings of `[statesync]`. */
export interface StateSyncOptions {
  /**
   * The RPC servers (two or more) that the light client verifies against; if empty, a new home executes every block.
   */
  readonly rpcServers: readonly string[]
  /** The height of a trusted block. */
  readonly trustHeight: number
  readonly trustHash: string
  /** The trust period in milliseconds. */
  readonly trustPeriod: number
}

/** The values of our settings that CometBFT's configuration has too. */
export interface OwnedValues {
  /** The `host:port` for peers. */
  readonly p2pAddress: string
  /** The `host:port` of the engine's RPC. */
  readonly rpcAddress: string
  /** The `host:port` of the metrics; undefined if there are none. */
  readonly metricsAddress: string | undefined
  /** The peers as `id@host:port`. */
  readonly persistentPeers: readonly string[]
  readonly seeds: readonly string[]
  /** The ids of peers that others are not told of. */
  readonly privatePeers: readonly string[]
  /** The ids of peers that are taken however many there are. */
  readonly unconditionalPeers: readonly string[]
  /** Whether peers tell each other of peers. */
  readonly peerExchange: boolean
  /** The `host:port` that is announced to peers; undefined if CometBFT finds it out. */
  readonly externalAddress: string | undefined
  readonly stateSync: StateSyncOptions | undefined
  /** Where a remote signer connects; undefined if the key is in the home. */
  readonly remoteSigner: SocketAddress | undefined
  /** The pause between two blocks in milliseconds. */
  readonly blockTimeMs: number
}

/** The values of a node that knows nothing but where it listens and whom it knows. */
export const plainValues = {
  metricsAddress: undefined,
  seeds: [],
  privatePeers: [],
  unconditionalPeers: [],
  peerExchange: true,
  externalAddress: undefined,
  stateSync: undefined,
  remoteSigner: undefined,
} as const satisfies Partial<OwnedValues>

export type TomlScalar = string | number | boolean

/** A key of CometBFT's config.toml that settings of ours own. */
export interface OwnedKey {
  readonly path: readonly [string, ...string[]]
  /** The settings that say its value, the first of them for messages. It is written when one of them is given. */
  readonly settings: readonly [string, ...string[]]
  /** What CometBFT takes if the file has no such key. */
  readonly standard: TomlScalar
  /** Returns the value; undefined if the settings say nothing about it. */
  readonly value: (values: OwnedValues) => TomlScalar | undefined
  /** Whether a value that the file has already is left as it is. */
  readonly isSuggestion?: true
  /** Whether the value may hold a key of a provider, so that no log has it. */
  readonly isSecret?: true
}

const statesync = [
  'statesync.rpc-servers',
  'statesync.trust-height',
  'statesync.trust-hash',
  'statesync.trust-period',
] as const

const fromStateSync =
  (read: (options: StateSyncOptions) => TomlScalar) =>
  ({ stateSync }: OwnedValues): TomlScalar | undefined =>
    stateSync?.rpcServers.length ? read(stateSync) : undefined

const isLoopbackPeer = (peer: string): boolean => /@(?:127(?:\.\d+){3}|localhost|\[::1\]):\d+$/.test(peer)

/** Whether all peers are on this computer: they share its address, and their addresses are not those of a network. */
export const areLocalPeers = (peers: readonly string[]): boolean =>
  peers.length > 0 && peers.every(isLoopbackPeer)

/** All keys that are ours. Everything else in the file belongs to the operator. */
export const ownedKeys: readonly OwnedKey[] = [
  {
    path: ['priv_validator_laddr'],
    settings: ['priv-validator-laddr'],
    standard: '',
    value: ({ remoteSigner }) => (remoteSigner === undefined ? '' : formatSocketAddress(remoteSigner)),
  },
  {
    path: ['rpc', 'laddr'],
    settings: ['engine-rpc'],
    standard: 'tcp://127.0.0.1:26657',
    value: ({ rpcAddress }) => `tcp://${rpcAddress}`,
  },
  {
    path: ['p2p', 'laddr'],
    settings: ['engine-p2p'],
    standard: 'tcp://0.0.0.0:26656',
    value: ({ p2pAddress }) => `tcp://${p2pAddress}`,
  },
  {
    path: ['p2p', 'external_address'],
    settings: ['external-address'],
    standard: '',
    value: ({ externalAddress }) => externalAddress ?? '',
  },
  {
    path: ['p2p', 'persistent_peers'],
    settings: ['persistent-peers'],
    standard: '',
    value: ({ persistentPeers }) => persistentPeers.join(','),
  },
  {
    path: ['p2p', 'addr_book_strict'],
    settings: ['persistent-peers'],
    standard: true,
    value: ({ persistentPeers }) => (areLocalPeers(persistentPeers) ? false : undefined),
  },
  {
    path: ['p2p', 'allow_duplicate_ip'],
    settings: ['persistent-peers'],
    standard: false,
    value: ({ persistentPeers }) => (areLocalPeers(persistentPeers) ? true : undefined),
  },
  {
    path: ['p2p', 'seeds'],
    settings: ['seeds'],
    standard: '',
    value: ({ seeds }) => seeds.join(','),
  },
  {
    path: ['p2p', 'private_peer_ids'],
    settings: ['private-peers'],
    standard: '',
    value: ({ privatePeers }) => privatePeers.join(','),
  },
  {
    path: ['p2p', 'unconditional_peer_ids'],
    settings: ['unconditional-peers'],
    standard: '',
    value: ({ unconditionalPeers }) => unconditionalPeers.join(','),
  },
  {
    path: ['p2p', 'pex'],
    settings: ['peer-exchange'],
    standard: true,
    value: ({ peerExchange }) => peerExchange,
  },
  {
    path: ['consensus', 'timeout_commit'],
    settings: ['block-time'],
    standard: '1s',
    value: ({ blockTimeMs }) => `${blockTimeMs}ms`,
  },
  {
    path: ['statesync', 'enable'],
    settings: statesync,
    standard: false,
    value: ({ stateSync }) => (stateSync?.rpcServers.length ?? 0) > 0,
  },
  {
    path: ['statesync', 'rpc_servers'],
    settings: statesync,
    standard: '',
    value: fromStateSync(({ rpcServers }) => rpcServers.join(',')),
    isSecret: true,
  },
  {
    path: ['statesync', 'trust_height'],
    settings: statesync,
    standard: 0,
    value: fromStateSync(({ trustHeight }) => trustHeight),
  },
  {
    path: ['statesync', 'trust_hash'],
    settings: statesync,
    standard: '',
    value: fromStateSync(({ trustHash }) => trustHash),
  },
  {
    path: ['statesync', 'trust_period'],
    settings: statesync,
    standard: '168h0m0s',
    value: fromStateSync(({ trustPeriod }) => `${trustPeriod}ms`),
  },
  {
    // This is the shortest value that CometBFT accepts. While no peer offers a snapshot, it asks again.
    path: ['statesync', 'discovery_time'],
    settings: statesync,
    standard: '15s',
    value: fromStateSync(() => '5s'),
    isSuggestion: true,
  },
  {
    // Peers that offer a snapshot and send nothing of it cost little: it is the shortest value, and many are asked at once.
    path: ['statesync', 'chunk_request_timeout'],
    settings: statesync,
    standard: '10s',
    value: fromStateSync(() => '5s'),
    isSuggestion: true,
  },
  {
    path: ['statesync', 'chunk_fetchers'],
    settings: statesync,
    standard: 4,
    value: fromStateSync(() => 16),
    isSuggestion: true,
  },
  {
    path: ['instrumentation', 'prometheus'],
    settings: ['engine-metrics'],
    standard: false,
    value: ({ metricsAddress }) => metricsAddress !== undefined,
  },
  {
    path: ['instrumentation', 'prometheus_listen_addr'],
    settings: ['engine-metrics'],
    standard: ':26660',
    value: ({ metricsAddress }) => metricsAddress,
  },
]

/** Whether two values of a key mean the same to CometBFT. */
export const isSameValue = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  const isDuration = (value: unknown): value is string =>
    typeof value === 'string' && isGoDuration.test(value)
  if (isDuration(a) && isDuration(b)) return parseGoDuration(a) === parseGoDuration(b)
  return false
}
