import { existsSync, rmSync } from 'node:fs'
import { openSnapshotFile, type SnapshotFile } from '../../../app/snapshot/file.ts'
import { snapshotFormat } from '../../../app/snapshot/metadata.ts'
import { evaluateOffer } from '../../../app/snapshot/restore.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { badConfig, badFile, ExitError } from '../../../base/exit.ts'
import { lockHome } from '../../../base/lock/homeLock.ts'
import { type GenesisFile, parseGenesisFile } from '../../../chain/genesis/genesisFile.ts'
import { parseValidatorConfig } from '../../../chain/validators/validatorConfig.ts'
import type { Config } from '../../../config/settings/settings.ts'
import { ensureHome } from '../../../service/home/homeFolder.ts'
import { print } from '../../output/print.ts'
import { createProgress } from '../../output/progress.ts'
import { assertNotCometHome, needsStateSync } from '../import/cometHome.ts'
import { openHomeStore } from '../import/store.ts'

interface ImportOptions {
  readonly genesis: string | undefined
  /** The trusted hash of the block, as 0x and hex; undefined if none was given. */
  readonly trustHash: string | undefined
}

/**
 * Begins a home with the state of a file. Not one of a chain with validators: CometBFT has a state of its own, which its light
 * client verifies, and which comes by state sync alone.
 */
export const importSnapshot = async (config: Config, path: string, options: ImportOptions): Promise<void> => {
  const file = await openSnapshotFile(path).catch((error: Error) => {
    throw badFile(`${path} cannot be read: ${error.message}`)
  })
  try {
    assertTrusted(file, path, options.trustHash)
    const { home } = config
    assertNotCometHome(home)
    const genesis = options.genesis === undefined ? undefined : readGenesis(options.genesis)
    const isNew = !existsSync(home)
    ensureHome(home)
    const unlock = lockHome(home)
    try {
      await restore(config, file, genesis)
    } catch (error) {
      // A home that this made would be bound to a genesis that is perhaps the wrong one.
      if (isNew) rmSync(home, { recursive: true, force: true })
      throw error
    } finally {
      unlock()
    }
  } catch (error) {
    throw error instanceof ExitError ? error : badFile(`${path}: ${(error as Error).message}`)
  } finally {
    await file.close()
  }
}

const assertTrusted = (
  { height, metadata }: SnapshotFile,
  path: string,
  trustHash: string | undefined,
): void => {
  const hash = toHex(metadata.blockHash)
  if (trustHash === undefined)
    throw badConfig(
      `${path} is the state of block ${height}, ${hash}: ask somebody you trust for the hash of that block, and give it with --trust-hash`,
    )
  if (trustHash !== hash)
    throw badFile(`${path} is the state of a block ${height} with the hash ${hash}, not ${trustHash}`)
}

/** Reads the genesis that a home begins with. Throws an ExitError for one with validators, before anything is written. */
const readGenesis = (path: string): GenesisFile => {
  const { text, genesis } = parseGenesisFile(path)
  if (parseValidatorConfig(genesis.config.source) !== undefined) throw needsStateSync()
  return { text, path }
}

const restore = async (
  config: Config,
  file: SnapshotFile,
  genesis: GenesisFile | undefined,
): Promise<void> => {
  const started = performance.now()
  const { pruning, minFreeSpace: minFreeBytes } = config
  const store = await openHomeStore(
    config.home,
    { pruning, appearances: config.index.appearances, minFreeBytes },
    genesis,
  )
  if (parseValidatorConfig(store.config.source) !== undefined) {
    await store.close()
    throw needsStateSync()
  }
  const progress = createProgress({ label: 'restoring', unit: 'chunks' })
  try {
    const { height, encoded, metadata } = file
    const result = evaluateOffer(store.dependencies, store.config, {
      ...{ height, format: snapshotFormat, chunks: metadata.chunks.length },
      ...{ hash: keccak256(encoded), metadata: encoded, appHash: metadata.blockHash },
    })
    if ('rejection' in result) throw badFile(`it cannot be restored here: ${result.reason}`)
    let index = 0
    for await (const chunk of file.chunks()) {
      if (!result.restore.isNext(index, chunk)) throw badFile(`chunk ${index} is not the one that it names`)
      await result.restore.add(chunk)
      progress.step(++index, metadata.chunks.length)
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    print`imported height=${height} hash=${toHex(metadata.blockHash)} seconds=${seconds}\n`
  } finally {
    progress.stop()
    await store.close()
  }
}
