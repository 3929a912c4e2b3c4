import { checkDataFile } from '../base/lmdb/file/check.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { parseChainConfig } from '../chain/config/chainConfig.ts'
import { type Fork, forks } from '../chain/config/forks.ts'
import type { JsonObject } from '../chain/config/gethJson.ts'
import { beginningWith } from '../chain/genesis/beginning.ts'
import type { StoredChain } from '../chain/genesis/conflicts.ts'
import { configFor } from '../chain/genesis/devGenesis.ts'
import { parseValidatorConfig } from '../chain/validators/validatorConfig.ts'
import { dataFile } from '../home/layout.ts'
import { BlockStoreReader } from '../store/blockStoreReader.ts'
import { tableNames } from '../store/tables/chainTables.ts'

/** How the chain of a home began, as far as it tells. */
export interface ChainOrigin {
  /** Whether it began with the dev genesis, or is forked, which only a dev chain is. */
  readonly isDev: boolean
  /** Whether it has validators, so that CometBFT can decide its blocks. */
  readonly hasValidators: boolean
}

/**
 * Reads how a chain began, for homes that do not say it because an older version made them. Undefined if there is no chain,
 * or a damaged one: opening it tells why. What cannot be read for another reason is an error, and not guessed around. A node
 * may run on it.
 */
export const readOrigin = (home: string): Promise<ChainOrigin | undefined> => readBlocks(home, findOrigin)

/** What a genesis file must agree with. */
type ChainStart = Pick<StoredChain, 'config' | 'genesisHash' | 'beginning' | 'head' | 'hasForkSchedule'>

/** Reads what the chain of a home began with, in the same way. */
export const readChainStart = (home: string): Promise<ChainStart | undefined> => readBlocks(home, findStart)

const readBlocks = async <T>(
  home: string,
  read: (blocks: BlockStoreReader) => T | undefined,
): Promise<T | undefined> => {
  const path = dataFile(home)
  let environment: LmdbEnvironment | undefined
  try {
    if (checkDataFile(path, { maxPages: 0 }).problems.length > 0) return undefined
    environment = new LmdbEnvironment({ path, readOnly: true })
    return environment.hasTable(tableNames.meta) ? read(new BlockStoreReader(environment)) : undefined
  } finally {
    await environment?.close()
  }
}

const findStart = (blocks: BlockStoreReader): ChainStart | undefined => {
  const { meta } = blocks
  const text = meta.config()
  const genesisHash = meta.genesisHash()
  const head = blocks.head()
  const header = head && blocks.header(head.number)
  const first = blocks.header(meta.first())
  if (text === undefined || genesisHash === undefined || header === undefined || first === undefined)
    return undefined
  const config = parseChainConfig(JSON.parse(text))
  const beginning = beginningWith(config, first, meta.fork() !== undefined)
  const hasForkSchedule = parseValidatorConfig(config.source) !== undefined
  return { config, genesisHash, beginning, head: header, hasForkSchedule }
}

const findOrigin = (blocks: BlockStoreReader): ChainOrigin | undefined => {
  const { meta } = blocks
  const text = meta.config()
  const first = blocks.header(meta.first())
  // Only a gateway has a position in somebody else's chain.
  if (text === undefined || first === undefined || meta.enginePosition() !== undefined) return undefined
  const config = parseChainConfig(JSON.parse(text))
  const hasValidators = parseValidatorConfig(config.source) !== undefined
  if (meta.fork() !== undefined) return { isDev: true, hasValidators }
  // The dev genesis has this very text, which `export` does not write again, and its first block a recipient of tips.
  const { perihelion } = config.source
  const isOfDev = (fork: Fork): boolean => {
    const { source } = configFor(config.chainId, fork, perihelion as JsonObject | undefined)
    // Older versions began chains with validators without this fork.
    const { fullBlocksTime: _, ...olderSource } = source
    return [source, olderSource].some((one) => text === JSON.stringify(one))
  }
  const isDev = first.beneficiary.some((byte) => byte !== 0) && forks.some(isOfDev)
  return { isDev, hasValidators }
}
