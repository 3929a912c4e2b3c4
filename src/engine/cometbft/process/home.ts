import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { equalBytes } from '../../../base/encoding/bytes.ts'
import { badConfig, badFile } from '../../../base/exit.ts'
import { writeFileAtomicallySync } from '../../../base/files/atomicFile.ts'
import {
  createPlaceholderKey,
  type EngineKey,
  generateKey,
  parseEngineKeyFile,
  toNodeKeyFile,
  toValidatorKeyFile,
  validatorAddress,
} from '../signing/keys.ts'
import { forgetSignature, signStatePath } from '../signing/signState.ts'

/**
 * The folder of a CometBFT node inside the home. Existing files are never overwritten, because they are the operator's.
 */
export interface EngineHome {
  readonly folder: string
  readonly nodeKey: EngineKey
  readonly validatorKey: EngineKey
  /** Whether the validator's key was made now. */
  readonly isNewKey: boolean
  /** Whether the node's key was made now, in a home that had one before. */
  readonly hasLostNodeKey: boolean
}

export const validatorKeyPath = (folder: string): string => join(folder, 'config', 'priv_validator_key.json')

export const nodeKeyPath = (folder: string): string => join(folder, 'config', 'node_key.json')

export const ensureFolders = (folder: string): void => {
  for (const part of ['config', 'data']) mkdirSync(join(folder, part), { recursive: true, mode: 0o700 })
}

/** Whether the home has a key with which a validator may sign: not one that only stands there for CometBFT to find. */
export const hasValidatorKey = (folder: string): boolean =>
  existsSync(validatorKeyPath(folder)) && !isPlaceholder(readKey(validatorKeyPath(folder)))

const isPlaceholder = ({ publicKey }: EngineKey): boolean =>
  equalBytes(publicKey, createPlaceholderKey().publicKey)

/** Writes the key that stands for none, if there is no key, for a home whose key a remote signer has. */
export const ensurePlaceholder = (folder: string): void => {
  ensureFolders(folder)
  ensureKey(validatorKeyPath(folder), toValidatorKeyFile, createPlaceholderKey)
  ensureRecord(folder)
}

/** Creates what is missing: folders, keys, and the record of signatures. */
export const ensureEngineHome = (folder: string): EngineHome => {
  ensureFolders(folder)
  const hasLostNodeKey =
    !existsSync(nodeKeyPath(folder)) && tracesOfNode.some((name) => existsSync(join(folder, name)))
  const nodeKey = ensureKey(nodeKeyPath(folder), toNodeKeyFile)
  const keyPath = validatorKeyPath(folder)
  const isNewKey = !existsSync(keyPath)
  const validatorKey = ensureKey(keyPath, toValidatorKeyFile)
  // A key that has signed must not lose this record, or it would sign the same height twice. That also holds for one that is
  // away only now, as a secret that is not mounted yet.
  if (isNewKey) ensureRecord(folder)
  return { folder, nodeKey, validatorKey, isNewKey, hasLostNodeKey }
}

/** What CometBFT has once it ran with the key of a node. */
const tracesOfNode = ['config/addrbook.json', 'data/blockstore.db', 'data/state.db']

const ensureRecord = (folder: string): void => {
  const path = signStatePath(folder)
  if (!existsSync(path)) writeNew(path, { height: '0', round: 0, step: 0 })
}

/** What CometBFT has once it ran with a key. */
const tracesOfKey = ['data/priv_validator_state.json', 'data/blockstore.db', 'data/state.db']

/**
 * Returns why the validator's key must not be made by a start: this home had one, and that is missing. Undefined if it is there,
 * or the home is new. `isKnown` is whether the home already says that it is CometBFT's.
 */
export const findMissingKey = (folder: string, isKnown: boolean): string | undefined => {
  const path = validatorKeyPath(folder)
  if (hasValidatorKey(folder)) return undefined
  if (existsSync(path))
    return (
      `the validator key ${path} only stands for that of a remote signer: name the signer again (--priv-validator-laddr), restore the key, ` +
      'or make a new one with `perihelion network new-key`, which the admin of the validators then adds in its place'
    )
  if (!isKnown && !tracesOfKey.some((name) => existsSync(join(folder, name)))) return undefined
  return (
    `the validator key ${path} is missing, and this home had one: restore it from a backup, or make a new one with ` +
    '`perihelion network new-key`, which the admin of the validators then adds in its place'
  )
}

/** Makes another validator key. Returns where the old one is kept; undefined if there was none. */
export const replaceValidatorKey = (folder: string): string | undefined => {
  const path = validatorKeyPath(folder)
  let kept: string | undefined
  if (existsSync(path) && !hasValidatorKey(folder)) rmSync(path)
  if (existsSync(path)) {
    const address = validatorAddress(readKey(path).publicKey)
    kept = join(folder, 'config', `priv_validator_key.${address}.json`)
    if (existsSync(kept)) throw badConfig(`${kept} exists already: move it away first`)
  }
  // First: a record with the signature of the key before is rejected beside a new one, while the old key goes on without it.
  forgetSignature(signStatePath(folder))
  if (kept !== undefined) renameSync(path, kept)
  ensureEngineHome(folder)
  return kept
}

export const configPath = ({ folder }: Pick<EngineHome, 'folder'>): string =>
  join(folder, 'config', 'config.toml')

const genesisPath = ({ folder }: Pick<EngineHome, 'folder'>): string => join(folder, 'config', 'genesis.json')

/** Writes the configuration if there is none and returns whether it was written. */
export const ensureConfig = (home: Pick<EngineHome, 'folder'>, text: string): boolean => {
  if (existsSync(configPath(home))) return false
  writeFileAtomicallySync(configPath(home), text, 0o600)
  return true
}

/** Writes the engine's genesis, which is derived from ours, on each start; edits have no effect. */
export const writeGenesis = (home: Pick<EngineHome, 'folder'>, genesis: object): void =>
  writeFileAtomicallySync(genesisPath(home), `${JSON.stringify(genesis, undefined, 2)}\n`, 0o644)

const ensureKey = (
  path: string,
  toFile: (key: EngineKey) => object,
  create: () => EngineKey = generateKey,
): EngineKey => {
  if (existsSync(path)) return readKey(path)
  const key = create()
  writeNew(path, toFile(key))
  return key
}

/** Reads the file of a key. Throws an ExitError if it is damaged. */
export const readKey = (path: string): EngineKey => {
  try {
    return parseEngineKeyFile(readFileSync(path, 'utf8'))
  } catch (error) {
    // A start makes another key of a node, and never one of a validator.
    const then =
      basename(path) === basename(validatorKeyPath(''))
        ? ' and make a new one with `perihelion network new-key`'
        : ''
    throw badFile(
      `${path} cannot be read: ${(error as Error).message}: restore it from a backup, or move it away${then}`,
    )
  }
}

const writeNew = (path: string, content: object): void =>
  writeFileAtomicallySync(path, `${JSON.stringify(content, undefined, 2)}\n`, 0o600)
