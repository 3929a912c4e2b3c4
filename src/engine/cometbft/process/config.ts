import { stringify } from 'smol-toml'
import { maxNativeBytes } from '../../../cosmos/transaction/unwrap.ts'

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

export interface EngineConfigOptions {
  readonly moniker: string
  /** The `host:port` for peers. */
  readonly p2pAddress: string
  /** The `host:port` of the engine's RPC. */
  readonly rpcAddress: string
  /** The peers as `id@host:port`. */
  readonly persistentPeers: readonly string[]
  /** The pause between two blocks in milliseconds. */
  readonly blockTimeMs: number
  /** Whether several nodes share the address of one computer. */
  readonly isLocal: boolean
  /** The options for joining from a snapshot; undefined if the home does not. */
  readonly stateSync: StateSyncOptions | undefined
  /** The `host:port` of the metrics; undefined if there are none. */
  readonly metricsAddress: string | undefined
}

/**
 * Returns the engine's config.toml for a new home: the values that differ from the engine's defaults. Empty blocks are
 * always enabled, because the state root of a block is in the header of the next one, so the engine would create an
 * empty block after each full one in any case.
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
      max_tx_bytes: maxNativeBytes,
    },
    consensus: {
      timeout_commit: `${options.blockTimeMs}ms`,
      create_empty_blocks: true,
      create_empty_blocks_interval: '0s',
    },
    ...(options.stateSync?.rpcServers.length ? { statesync: stateSyncSection(options.stateSync) } : {}),
    // Results are in the local store; the engine's transaction index would duplicate them.
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
  // This is the shortest value that CometBFT accepts. While no peer offers a snapshot, it asks again.
  discovery_time: '5s',
  // Peers that offer a snapshot and send nothing of it cost little: it is the shortest value, and many are asked at once.
  chunk_request_timeout: '5s',
  chunk_fetchers: 16,
})
