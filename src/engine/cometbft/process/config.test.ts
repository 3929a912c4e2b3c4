import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { createEngineConfig, type EngineConfigOptions } from './config.ts'
import { plainValues } from './ownedKeys.ts'

const options: EngineConfigOptions = {
  ...plainValues,
  moniker: 'node0',
  p2pAddress: '127.0.0.1:26656',
  rpcAddress: '127.0.0.1:26657',
  persistentPeers: ['aa@10.0.0.1:26656', 'bb@10.0.0.2:26656'],
  blockTimeMs: 500,
  isLocal: false,
}

describe("the engine's config.toml", () => {
  it('joins by executing every block where nothing is said', () => {
    const config = parse(createEngineConfig(options))
    expect(config.statesync).toBeUndefined()
    expect(config).toMatchObject({
      consensus: { timeout_commit: '500ms', create_empty_blocks: true },
      p2p: { persistent_peers: 'aa@10.0.0.1:26656,bb@10.0.0.2:26656', addr_book_strict: true },
    })
  })

  it('joins from a snapshot where it is told whom to trust', () => {
    const stateSync = {
      rpcServers: ['rpc1:26657', 'https://rpc2:443'],
      trustHeight: 1200,
      trustHash: 'ab'.repeat(32),
      trustPeriod: 604_800_000,
    }
    expect(parse(createEngineConfig({ ...options, stateSync })).statesync).toEqual({
      enable: true,
      rpc_servers: 'rpc1:26657,https://rpc2:443',
      trust_height: 1200,
      trust_hash: 'ab'.repeat(32),
      discovery_time: '5s',
      chunk_request_timeout: '5s',
      chunk_fetchers: 16,
    })
  })
})
