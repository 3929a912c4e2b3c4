import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../base/encoding/hex.ts'
import { badConfig, badFile } from '../../base/exit.ts'
import { readTextFile } from '../../base/files/readFile.ts'
import { formatAddress } from '../../config/kinds/addresses.ts'
import { readEngineConfig, readListenAddresses } from '../../engine/cometbft/process/readConfig.ts'
import { nodeId, parseEngineKeyFile, validatorAddress } from '../../engine/cometbft/signing/keys.ts'

/** Who a node is among the nodes of its network. */
export interface EngineIdentity {
  /** The id by which peers dial it. */
  readonly nodeId: string
  /** The public key with which it signs as a validator, in base64 as a genesis has it. */
  readonly validatorKey: string
  /** The same as 0x and hex, as the contract of validators takes it. */
  readonly validatorKeyHex: string
  /** CometBFT's address of the key. */
  readonly validatorAddress: string
  /** Where peers reach it, as `host:port`; undefined if somebody else runs CometBFT. */
  readonly p2p: string | undefined
  /** Whether another process signs for this node: the key of the home is not used then, and that process has its own. */
  readonly hasRemoteSigner: boolean
}

/** Reads who the node of a home is. Throws an ExitError if it has no keys of CometBFT. */
export const describeEngineHome = (home: string): EngineIdentity => {
  const folder = join(home, 'engine')
  const node = readKey(join(folder, 'config', 'node_key.json'))
  const validator = readKey(join(folder, 'config', 'priv_validator_key.json'))
  const hasConfig = existsSync(join(folder, 'config', 'config.toml'))
  return {
    nodeId: nodeId(node),
    validatorKey: Buffer.from(validator).toString('base64'),
    validatorKeyHex: toHex(validator),
    validatorAddress: validatorAddress(validator),
    p2p: hasConfig ? dialAddress(folder) : undefined,
    hasRemoteSigner: hasConfig && readEngineConfig(folder).hasRemoteSigner,
  }
}

/** Reads a file that `perihelion network id --json` wrote, of this node or of another one. */
export const readIdentity = (file: string): EngineIdentity => {
  let value: Partial<EngineIdentity>
  try {
    value = JSON.parse(readTextFile(file, maxIdentityBytes)) as Partial<EngineIdentity>
  } catch (error) {
    throw badFile(`${file} cannot be read: ${(error as Error).message}`)
  }
  const { nodeId: id, validatorKey } = value ?? {}
  if (typeof id !== 'string' || !/^[0-9a-f]{40}$/.test(id) || typeof validatorKey !== 'string')
    throw badFile(`${file} is not what \`perihelion network id --json\` prints`)
  return value as EngineIdentity
}

/** A few keys. */
const maxIdentityBytes = 16_384

/** Returns what `persistent-peers` takes for nodes, without the one of this home. */
export const toPeers = (identities: readonly EngineIdentity[], own: string | undefined): string =>
  identities
    .filter(({ nodeId: id }) => id !== own)
    .map(({ nodeId: id, p2p }) => {
      if (typeof p2p !== 'string' || /^(?:0\.0\.0\.0|\[::\]):/.test(p2p))
        throw badConfig(
          `the node ${id} does not say where it is reached (${p2p}): give its home --external-address host:port, and write its file anew`,
        )
      return `${id}@${p2p}`
    })
    .join(',')

/** What peers are told, or else where it listens. */
const dialAddress = (folder: string): string | undefined => {
  const { p2p, external } = readListenAddresses(folder)
  return external ?? (p2p && formatAddress(p2p))
}

const readKey = (path: string): Uint8Array => {
  try {
    return parseEngineKeyFile(readFileSync(path, 'utf8')).publicKey
  } catch (error) {
    throw badFile(
      existsSync(path)
        ? `${path} cannot be read: ${(error as Error).message}`
        : `${path} does not exist: \`perihelion init --engine cometbft\` makes a home with its keys`,
    )
  }
}
