import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'smol-toml'
import {
  formatSocketAddress,
  isLoopbackHost,
  parseSocketAddress,
  type SocketAddress,
} from '../../../base/encoding/socketAddress.ts'
import { badConfig, badFile } from '../../../base/exit.ts'
import { configPath } from './home.ts'

interface ConfigFile {
  readonly db_dir?: string
  readonly db_backend?: string
  readonly priv_validator_laddr?: string
  readonly priv_validator_key_file?: string
  readonly priv_validator_state_file?: string
  readonly rpc?: { readonly laddr?: string; readonly unsafe?: boolean }
  readonly p2p?: {
    readonly laddr?: string
    readonly persistent_peers?: string
    readonly external_address?: string
  }
  readonly consensus?: { readonly create_empty_blocks?: boolean }
}

/** The settings of CometBFT's configuration that the node needs. */
export interface EngineConfig {
  readonly rpcUrl: string
  /**
   * Whether its RPC has the methods that change the node: what the file says, and otherwise whether only this computer
   * can reach it.
   */
  readonly hasUnsafeRpc: boolean
  /** The peers that the engine keeps, as `id@host:port`; undefined if this process does not know them. */
  readonly persistentPeers: readonly string[] | undefined
  /** Where another process connects that signs, so that the key of the home is not used. */
  readonly remoteSigner: string | undefined
  /** Where it keeps its blocks as files of LevelDB; undefined if it keeps them in another form, or this process does not know. */
  readonly databaseFolder: string | undefined
}

/** Where CometBFT keeps its key and the record of its signatures. */
const signingFiles = {
  priv_validator_key_file: 'config/priv_validator_key.json',
  priv_validator_state_file: 'data/priv_validator_state.json',
} as const

/** Reads the engine's configuration. Throws for a setting with which this chain would stall. */
export const readEngineConfig = (folder: string): EngineConfig => {
  const path = configPath({ folder })
  const config = readConfigFile(path)
  if (config.consensus?.create_empty_blocks === false)
    throw badConfig(
      `${path}: consensus.create_empty_blocks must be true: each block's header holds the state of the one before, so CometBFT makes a block after each block in any case`,
    )
  for (const [name, file] of Object.entries(signingFiles))
    if ((config[name as keyof typeof signingFiles] ?? file) !== file)
      throw badConfig(`${path}: ${name} must be ${file}: what guards the key of a validator looks there`)
  const address = rpcAddress(config)
  if (address?.kind !== 'tcp') throw badConfig(`${path}: rpc.laddr must be tcp://host:port`)
  const host = address.host === '0.0.0.0' || address.host === '::' ? '127.0.0.1' : address.host
  return {
    rpcUrl: formatSocketAddress({ ...address, host }).replace('tcp://', 'http://'),
    hasUnsafeRpc: config.rpc?.unsafe ?? isLoopbackHost(address.host),
    persistentPeers: (config.p2p?.persistent_peers ?? '')
      .split(',')
      .map((peer) => peer.trim())
      .filter((peer) => peer !== ''),
    remoteSigner: config.priv_validator_laddr || undefined,
    databaseFolder:
      (config.db_backend ?? 'goleveldb') === 'goleveldb'
        ? resolve(folder, config.db_dir ?? 'data')
        : undefined,
  }
}

/** Where CometBFT listens; undefined for what is not `tcp://host:port`. */
export interface EngineListenAddresses {
  readonly rpc: { readonly host: string; readonly port: number } | undefined
  readonly p2p: { readonly host: string; readonly port: number } | undefined
  /** The address that is announced to peers, as `host:port`; undefined if nothing is said. */
  readonly external: string | undefined
}

/** Reads where the engine of an existing home listens. */
export const readListenAddresses = (folder: string): EngineListenAddresses => {
  const config = readConfigFile(configPath({ folder }))
  const p2p = parseSocketAddress(config.p2p?.laddr ?? 'tcp://0.0.0.0:26656')
  const external = (config.p2p?.external_address ?? '').replace(/^tcp:\/\//, '')
  return { rpc: toTcp(rpcAddress(config)), p2p: toTcp(p2p), external: external === '' ? undefined : external }
}

const rpcAddress = ({ rpc }: ConfigFile): SocketAddress | undefined =>
  parseSocketAddress(rpc?.laddr ?? 'tcp://127.0.0.1:26657')

const toTcp = (address: SocketAddress | undefined): EngineListenAddresses['rpc'] =>
  address?.kind === 'tcp' ? { host: address.host, port: address.port } : undefined

const readConfigFile = (path: string): ConfigFile => {
  try {
    return parse(readFileSync(path, 'utf8')) as ConfigFile
  } catch (error) {
    const [reason] = (error as Error).message.split('\n', 1)
    throw badFile(`${path} cannot be read: ${reason}`)
  }
}
