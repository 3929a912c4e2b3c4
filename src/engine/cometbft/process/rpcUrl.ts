import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { formatAbciAddress, parseAbciAddress } from '../../../base/encoding/abciAddress.ts'
import { badConfig, badFile } from '../../../base/exit.ts'
import { configPath } from './home.ts'

interface ConfigFile {
  readonly rpc?: { readonly laddr?: string }
  readonly consensus?: { readonly create_empty_blocks?: boolean }
}

/** Reads the RPC address from the engine's configuration. Throws for a setting with which this chain would stall. */
export const readRpcUrl = (folder: string): string => {
  const path = configPath({ folder })
  const config = readConfigFile(path)
  if (config.consensus?.create_empty_blocks === false)
    throw badConfig(
      `${path}: consensus.create_empty_blocks must be true: each block's header holds the state of the one before, so CometBFT makes a block after each block in any case`,
    )
  const address = parseAbciAddress(config.rpc?.laddr ?? 'tcp://127.0.0.1:26657')
  if (address?.kind !== 'tcp') throw badConfig(`${path}: rpc.laddr must be tcp://host:port`)
  const host = address.host === '0.0.0.0' || address.host === '::' ? '127.0.0.1' : address.host
  return formatAbciAddress({ ...address, host }).replace('tcp://', 'http://')
}

const readConfigFile = (path: string): ConfigFile => {
  try {
    return parse(readFileSync(path, 'utf8')) as ConfigFile
  } catch (error) {
    const [reason] = (error as Error).message.split('\n', 1)
    throw badFile(`${path} cannot be read: ${reason}`)
  }
}
