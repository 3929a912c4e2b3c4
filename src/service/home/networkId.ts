import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../base/encoding/hex.ts'
import { badConfig, badFile } from '../../base/exit.ts'
import { readTextFile } from '../../base/files/readFile.ts'
import { formatAddress } from '../../config/kinds/addresses.ts'
import {
  hasValidatorKey,
  nodeKeyPath,
  readKey,
  validatorKeyPath,
} from '../../engine/cometbft/process/home.ts'
import { readEngineConfig, readListenAddresses } from '../../engine/cometbft/process/readConfig.ts'
import { nodeId, validatorAddress } from '../../engine/cometbft/signing/keys.ts'
import { hasCometFiles } from '../../home/layout.ts'
import { readHomeMode } from '../../home/mode.ts'

/** Who a node is among the nodes of its network. */
export interface EngineIdentity {
  /** The id by which peers dial it. */
  readonly nodeId: string
  /** The public key with which it signs as a validator, in base64 as a genesis has it; undefined if only a remote signer has it. */
  readonly validatorKey: string | undefined
  /** The same as 0x and hex, as the contract of validators takes it. */
  readonly validatorKeyHex: string | undefined
  /** CometBFT's address of the key. */
  readonly validatorAddress: string | undefined
  /** Where peers reach it, as `host:port`; undefined if somebody else runs CometBFT. */
  readonly p2p: string | undefined
  /** Whether another process signs for this node: the key of the home is not used then, and that process has its own. */
  readonly hasRemoteSigner: boolean
}

/** Reads who the node of a home is. Throws an ExitError if it has no keys of CometBFT. */
export const describeEngineHome = (home: string): EngineIdentity => {
  const folder = join(home, 'engine')
  const hasConfig = existsSync(join(folder, 'config', 'config.toml'))
  const hasRemoteSigner = hasConfig && readEngineConfig(folder).remoteSigner !== undefined
  assertKeys(home, folder, hasRemoteSigner)
  const node = readKey(nodeKeyPath(folder)).publicKey
  const validator = hasValidatorKey(folder) ? readKey(validatorKeyPath(folder)).publicKey : undefined
  return {
    nodeId: nodeId(node),
    validatorKey: validator && Buffer.from(validator).toString('base64'),
    validatorKeyHex: validator && toHex(validator),
    validatorAddress: validator && validatorAddress(validator),
    p2p: hasConfig ? dialAddress(folder) : undefined,
    hasRemoteSigner,
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
  const { nodeId: id, validatorKey, hasRemoteSigner } = value ?? {}
  const isKey = typeof validatorKey === 'string' || (validatorKey === undefined && hasRemoteSigner === true)
  if (typeof id !== 'string' || !/^[0-9a-f]{40}$/.test(id) || !isKey)
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
          `the node ${id} does not say where it is reached (${p2p}): give its home --external-address host:port, and write its file again`,
        )
      return `${id}@${p2p}`
    })
    .join(',')

/** What is announced to peers, or else where it listens. */
const dialAddress = (folder: string): string | undefined => {
  const { p2p, external } = readListenAddresses(folder)
  return external ?? (p2p && formatAddress(p2p))
}

/** Throws an ExitError that says how a home gets the keys that it lacks. */
const assertKeys = (home: string, folder: string, hasRemoteSigner: boolean): void => {
  if (!hasRemoteSigner && !hasValidatorKey(folder))
    throw badFile(
      isCometHome(home)
        ? `${validatorKeyPath(folder)} is missing: restore it from a backup, or make a new key with \`perihelion network new-key --home ${home}\``
        : `${home} is not a home of CometBFT: make one with \`perihelion init --engine cometbft --home DIR\`, or choose another --home`,
    )
  const nodeKey = nodeKeyPath(folder)
  if (!existsSync(nodeKey))
    throw badFile(
      `${nodeKey} is missing: restore it from a backup; without one the next start makes a new id`,
    )
}

/** Whether CometBFT decides, or will decide, the blocks of a home. */
export const isCometHome = (home: string): boolean =>
  readHomeMode(home)?.engine === 'cometbft' || hasCometFiles(home)
