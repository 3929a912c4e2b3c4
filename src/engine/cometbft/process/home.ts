import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { badFile } from '../../../base/exit.ts'
import { writeFileAtomicallySync } from '../../../base/files/atomicFile.ts'
import {
  type EngineKey,
  generateKey,
  parseEngineKeyFile,
  toNodeKeyFile,
  toValidatorKeyFile,
} from '../signing/keys.ts'
import { signStatePath } from '../signing/signState.ts'

/**
 * The folder of a CometBFT node inside the home. Existing files are never overwritten, because they are the operator's.
 */
export interface EngineHome {
  readonly folder: string
  readonly nodeKey: EngineKey
  readonly validatorKey: EngineKey
}

/** Creates what is missing: folders, keys, and the record of signatures. */
export const ensureEngineHome = (folder: string): EngineHome => {
  for (const part of ['config', 'data']) mkdirSync(join(folder, part), { recursive: true, mode: 0o700 })
  const nodeKey = ensureKey(join(folder, 'config', 'node_key.json'), toNodeKeyFile)
  const keyPath = join(folder, 'config', 'priv_validator_key.json')
  const isNewKey = !existsSync(keyPath)
  const validatorKey = ensureKey(keyPath, toValidatorKeyFile)
  // A key that has signed must not lose this record, or it would sign the same height twice. That also holds for one that is
  // away only now, as a secret that is not mounted yet.
  const recordPath = signStatePath(folder)
  if (isNewKey && !existsSync(recordPath)) writeNew(recordPath, { height: '0', round: 0, step: 0 })
  return { folder, nodeKey, validatorKey }
}

export const configPath = ({ folder }: Pick<EngineHome, 'folder'>): string =>
  join(folder, 'config', 'config.toml')

const genesisPath = ({ folder }: Pick<EngineHome, 'folder'>): string => join(folder, 'config', 'genesis.json')

/** Writes the configuration if there is none and returns whether it was written. */
export const ensureConfig = (home: EngineHome, text: string): boolean => {
  if (existsSync(configPath(home))) return false
  writeFileAtomicallySync(configPath(home), text, 0o600)
  return true
}

/** Writes the engine's genesis, which is derived from ours, on each start; edits have no effect. */
export const writeGenesis = (home: Pick<EngineHome, 'folder'>, genesis: object): void =>
  writeFileAtomicallySync(genesisPath(home), `${JSON.stringify(genesis, undefined, 2)}\n`, 0o644)

const ensureKey = (path: string, toFile: (key: EngineKey) => object): EngineKey => {
  if (existsSync(path)) {
    try {
      return parseEngineKeyFile(readFileSync(path, 'utf8'))
    } catch (error) {
      throw badFile(`${path} cannot be read: ${(error as Error).message}`)
    }
  }
  const key = generateKey()
  writeNew(path, toFile(key))
  return key
}

const writeNew = (path: string, content: object): void =>
  writeFileAtomicallySync(path, `${JSON.stringify(content, undefined, 2)}\n`, 0o600)
