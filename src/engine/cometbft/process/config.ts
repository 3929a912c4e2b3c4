import { stringify } from 'smol-toml'

/** The settings of `[statesync]`. */
export interface StateSyncOptions {
  /** Two or more, against which the light client checks; none: an empty home executes every block. */
  readonly rpcServers: readonly string[]
  /** A block that is known to be right. */
  readonly trustHeight: number
  readonly trustHash: string
  /** In milliseconds. */
  readonly trustPeriod: number
}

export interface EngineConfigOptions {
  readonly moniker: string
  /** `host:port` for peers. */
  readonly p2pAddress: string
  /** `host:port` of the engine's own RPC. */
  readonly rpcAddress: string
  /** `id@host:port`. */
  readonly persistentPeers: readonly string[]
  /** The pause between two blocks, in milliseconds. */
  readonly blockTimeMs: number
  /** Several nodes share one machine's address. */
  readonly isLocal: boolean
  /** How an empty home joins from a snapshot. */
  readonly stateSync: StateSyncOptions | undefined
  /** `host:port`; undefined: the engine shows no metrics. */
  readonly metricsAddress: string | undefined
}

/**
 * The engine's config.toml for a new home: what differs from its own defaults, which fill the rest. Blocks follow each
 * other without pause in which nothing can go wrong: the state of a block is in the header of the next one, so the
 * engine would make an empty block after each full one in any case.
 */
export const createEngineConfig = (options: EngineConfigOptions): string =>
  `# CometBFT's own settings. Perihelion wrote this file once and does not change it.\n${stringify({
    moniker: options.moniker,
    db_backend: 'goleveldb',
    log_format: 'json',
    rpc: {
      laddr: `tcp://${options.rpcAddress}`,
      max_body_bytes: 16_000_000,
      max_request_batch_size: 1000,
    },
    p2p: {
      laddr: `tcp://${options.p2pAddress}`,
      persistent_peers: options.persistentPeers.join(','),
      addr_book_strict: !options.isLocal,
      allow_duplicate_ip: options.isLocal,
      flush_throttle_timeout: '10ms',
      send_rate: 20_000_000,
      recv_rate: 20_000_000,
    },
    mempool: {
      size: 50_000,
      cache_size: 100_000,
      max_txs_bytes: 512 * 1024 * 1024,
      max_tx_bytes: 1024 * 1024,
    },
    consensus: {
      timeout_commit: `${options.blockTimeMs}ms`,
      create_empty_blocks: true,
      create_empty_blocks_interval: '0s',
    },
    ...(options.stateSync?.rpcServers.length ? { statesync: stateSyncSection(options.stateSync) } : {}),
    // Results are in our own store; the engine's index of transactions would only be a second one.
    tx_index: { indexer: 'null' },
    instrumentation:
      options.metricsAddress === undefined
        ? { prometheus: false }
        : { prometheus: true, prometheus_listen_addr: options.metricsAddress },
  })}`

const stateSyncSection = ({ rpcServers, trustHeight, trustHash, trustPeriod }: StateSyncOptions): object => ({
  enable: true,
  rpc_servers: rpcServers.join(','),
  trust_height: trustHeight,
  trust_hash: trustHash,
  trust_period: `${trustPeriod}ms`,
  // The shortest that it takes: where nobody offers a snapshot yet, it asks again.
  discovery_time: '5s',
})
