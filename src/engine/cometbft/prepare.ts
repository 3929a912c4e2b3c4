import { join } from 'node:path'
import { badConfig } from '../../base/exit.ts'
import { isTooLongForSocket } from '../../base/files/socketPath.ts'
import type { Logger } from '../../base/logging/log.ts'
import { type JsonObject, parseInteger } from '../../chain/config/gethJson.ts'
import { toValidatorConfigJson } from '../../chain/validators/validatorConfig.ts'
import { laterThanParent } from '../blocks/blockTime.ts'
import type { EngineFactory } from '../engine.ts'
import { CometEngine, requireValidators } from './engine.ts'
import type { CometConnection, CometSettings } from './options.ts'
import { writeSettings } from './process/applySettings.ts'
import { createEngineConfig } from './process/config.ts'
import { findProgram } from './process/engineBinary.ts'
import { engineChainId } from './process/genesisDoc.ts'
import {
  configPath,
  type EngineHome,
  ensureConfig,
  ensureEngineHome,
  ensureFolders,
  ensurePlaceholder,
  nodeKeyPath,
  validatorKeyPath,
} from './process/home.ts'
import { areLocalPeers, type OwnedValues } from './process/ownedKeys.ts'
import { readEngineConfig } from './process/readConfig.ts'
import { nodeId, validatorAddress } from './signing/keys.ts'

/** The default pause after each block. */
const defaultPauseMs = 1000
/** The port of a URL without a port. */
const httpPort = 80
/** The power of the only validator of a new chain. */
const power = 10n

/** Prepares an engine for a chain of many nodes, each with a CometBFT process: its home, keys and program. */
export const prepareCometbft: EngineFactory<CometSettings> = async (
  settings,
  { home, coinbase, ...host },
) => {
  const folder = join(home, 'engine')
  const { abci, rpcUrl } = settings.cometbft
  ensureFolders(folder)
  if (abci === undefined) writeOwnSettings(settings, folder, host.log)
  // Whoever signs for this node elsewhere has a key of its own.
  const hasRemoteSigner = abci === undefined && readEngineConfig(folder).remoteSigner !== undefined
  const isOwnKey = abci === undefined && !hasRemoteSigner
  // A key that is made here would be taken for the validator's once the signer is no longer named.
  if (hasRemoteSigner) ensurePlaceholder(folder)
  const { nodeKey, hasLostNodeKey, validatorKey, isNewKey } = ensureEngineHome(folder)
  const { publicKey } = validatorKey
  if (abci === undefined && hasLostNodeKey)
    host.log.warn(
      { id: nodeId(nodeKey.publicKey), path: nodeKeyPath(folder) },
      'the key of this node was missing, and another one was made: its id is new, and peers that name the old one dial it in vain. ' +
        'Restore the file from a backup, or give the others the new id (`perihelion network id`)',
    )
  if (isOwnKey && isNewKey)
    host.log.info(
      { address: validatorAddress(publicKey), path: validatorKeyPath(folder) },
      'made the key with which this node signs as a validator: back it up',
    )
  const connection: CometConnection =
    abci === undefined ? await connectManaged(settings, folder, host.log) : { kind: 'attached', abci, rpcUrl }
  const signingKey = isOwnKey ? validatorKey : undefined
  const reward = { coinbase, validatorKey: signingKey?.publicKey }
  const options = { connection, reward, signingKey, snapshots: settings.snapshots, onFatal: host.onFatal }
  return {
    mode: 'cometbft',
    // Blocks travel between validators without the blobs' sidecars, so that validators could not check them.
    blobs: {
      accepted: false,
      rejection: 'blob transactions are not accepted: no sidecar travels with a block',
    },
    // This is for the pending block; CometBFT sets the times of decided ones.
    nextBlockTime: laterThanParent,
    producesBlocks: true,
    checkGenesis: checkGenesisConfig,
    // This node is the only validator of a new chain without a genesis file. The key of a remote signer is not known here.
    genesisConfig:
      coinbase && !hasRemoteSigner
        ? toValidatorConfigJson({ validators: [{ publicKey, power, reward: coinbase }], admin: coinbase })
        : undefined,
    create: (context) => new CometEngine(options, context),
  }
}

const connectManaged = async (
  { cometbft }: CometSettings,
  folder: string,
  log: Logger,
): Promise<CometConnection> => {
  const socket = join(folder, 'app.sock')
  if (isTooLongForSocket(socket)) throw badConfig(`${socket} is too long for a socket: use a shorter --home`)
  const program = await findProgram({ path: cometbft.program, notify: (text) => log.info(text) })
  return { kind: 'managed', program, folder, socket }
}

/** Writes what our settings say to CometBFT's configuration, which is made for a new home. */
const writeOwnSettings = (settings: OwnedSettings, folder: string, log: Logger): void => {
  if (writeConfig(settings, { folder })) return
  const { given } = settings.cometbft
  writeSettings(configPath({ folder }), { values: toOwnedValues(settings), given, log })
}

type OwnedSettings = Pick<CometSettings, 'blockTimeMs' | 'cometbft'>

const toOwnedValues = ({ blockTimeMs, cometbft }: OwnedSettings): OwnedValues => {
  const { hostname, port } = new URL(cometbft.rpcUrl)
  return {
    ...cometbft.owned,
    rpcAddress: `${hostname}:${port || httpPort}`,
    blockTimeMs: blockTimeMs ?? defaultPauseMs,
  }
}

/** Writes CometBFT's configuration of a new home; returns false if there is one. */
const writeConfig = (
  settings: OwnedSettings,
  home: Pick<EngineHome, 'folder'>,
  moniker = 'perihelion',
): boolean => {
  const isLocal = areLocalPeers(settings.cometbft.owned.persistentPeers)
  return ensureConfig(home, createEngineConfig({ ...toOwnedValues(settings), moniker, isLocal }))
}

/** Makes CometBFT's part of a home: its keys and, unless somebody else runs it, its configuration. Nothing is started. */
export const makeEngineHome = (
  settings: CometSettings,
  home: string,
  moniker: string | undefined,
): EngineHome => {
  const engineHome = ensureEngineHome(join(home, 'engine'))
  if (settings.cometbft.abci === undefined) writeConfig(settings, engineHome, moniker)
  return engineHome
}

/** Throws an ExitError for the `config` of a genesis that CometBFT cannot begin a chain with. */
export const checkGenesisConfig = (config: JsonObject): void => {
  requireValidators(config)
  checkChainId(config)
}

/** CometBFT's limit for the name of a chain. */
const maxEngineChainId = 50

const checkChainId = (config: JsonObject): void => {
  const name = engineChainId(parseInteger(config.chainId, 'config.chainId') ?? 0n)
  if (name.length > maxEngineChainId)
    throw badConfig(
      `genesis: chainId is too large for CometBFT, whose names of chains have at most ${maxEngineChainId} characters: ${name}`,
    )
}
