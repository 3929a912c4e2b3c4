import { stringify } from 'smol-toml'
import { maxNativeBytes } from '../../../cosmos/transaction/unwrap.ts'
import { isSameValue, type OwnedValues, ownedKeys, type TomlScalar } from './ownedKeys.ts'

export interface EngineConfigOptions extends OwnedValues {
  readonly moniker: string
  /** Whether several nodes share the address of one computer. */
  readonly isLocal: boolean
}

/**
 * Returns the engine's config.toml for a new home: the values that differ from the engine's defaults. Empty blocks are
 * always enabled, because the state root of a block is in the header of the next one, so the engine would create an
 * empty block after each full one in any case.
 */
export const createEngineConfig = (options: EngineConfigOptions): string => {
  const config: Record<string, Record<string, TomlScalar>> = {
    rpc: { max_body_bytes: 16_000_000, max_request_batch_size: 1000 },
    p2p: {
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
    consensus: { create_empty_blocks: true, create_empty_blocks_interval: '0s' },
    // Results are in the local store; the engine's transaction index would duplicate them.
    tx_index: { indexer: 'null' },
  }
  const top: Record<string, TomlScalar> = {
    moniker: options.moniker,
    db_backend: 'goleveldb',
    log_format: 'json',
  }
  for (const { path, standard, value } of ownedKeys) {
    const wanted = value(options)
    // Where it listens is said in any case: that is what an operator looks for in this file.
    if (wanted === undefined || (isSameValue(wanted, standard) && path[1] !== 'laddr')) continue
    const [section, key] = path
    if (key === undefined) top[section] = wanted
    else {
      config[section] ??= {}
      config[section][key] = wanted
    }
  }
  return `${heading}${stringify({ ...top, ...config })}`
}

const heading = `# CometBFT's own settings. At each start Perihelion writes those here that its own settings say (docs/operations.md); all others are yours.
`
