import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomicallySync } from '../../../base/atomicFile.ts'
import { badFile } from '../../../base/exit.ts'
import { type EngineKey, generateKey, nodeKeyFile, readKeyFile, validatorKeyFile } from '../keys.ts'

/** The folder of a CometBFT node inside ours. What is there is never written over: it is the operator's. */
export interface EngineHome {
  readonly folder: string
  readonly nodeKey: EngineKey
  readonly validatorKey: EngineKey
}

/** Makes what is missing: folders, keys, and the record of what was signed. */
export const ensureEngineHome = (folder: string): EngineHome => {
  for (const part of ['config', 'data']) mkdirSync(join(folder, part), { recursive: true, mode: 0o700 })
  const nodeKey = ensureKey(join(folder, 'config', 'node_key.json'), nodeKeyFile)
  const keyPath = join(folder, 'config', 'priv_validator_key.json')
  const isNewKey = !existsSync(keyPath)
  const validatorKey = ensureKey(keyPath, validatorKeyFile)
  // A key that has signed must not lose this record: it would sign the same height twice.
  if (isNewKey)
    writeNew(join(folder, 'data', 'priv_validator_state.json'), { height: '0', round: 0, step: 0 })
  return { folder, nodeKey, validatorKey }
}

export const configPath = ({ folder }: Pick<EngineHome, 'folder'>): string =>
  join(folder, 'config', 'config.toml')

const genesisPath = ({ folder }: Pick<EngineHome, 'folder'>): string => join(folder, 'config', 'genesis.json')

/** True where it was written now. */
export const ensureConfig = (home: EngineHome, text: string): boolean => {
  if (existsSync(configPath(home))) return false
  writeFileAtomicallySync(configPath(home), text, 0o600)
  return true
}

/** The engine's genesis follows from ours and is written anew each time: an edit of it has no effect. */
export const writeGenesis = (home: Pick<EngineHome, 'folder'>, genesis: object): void =>
  writeFileAtomicallySync(genesisPath(home), `${JSON.stringify(genesis, undefined, 2)}\n`, 0o644)

const ensureKey = (path: string, toFile: (key: EngineKey) => object): EngineKey => {
  if (existsSync(path)) {
    try {
      return readKeyFile(readFileSync(path, 'utf8'))
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
