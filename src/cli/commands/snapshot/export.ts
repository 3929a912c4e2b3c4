import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { assertSoundData } from '../../../app/dataCheck.ts'
import { createSnapshot } from '../../../app/snapshot/create.ts'
import { packSnapshot } from '../../../app/snapshot/file.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { badFile, ExitError } from '../../../base/exit.ts'
import { LmdbEnvironment } from '../../../base/lmdb/lmdb.ts'
import { parseChainConfig } from '../../../chain/config/chainConfig.ts'
import { parseValidatorConfig } from '../../../chain/validators/validatorConfig.ts'
import type { Config } from '../../../config/settings/settings.ts'
import { dataFile } from '../../../home/layout.ts'
import { BlockStoreReader } from '../../../store/blockStoreReader.ts'
import { print, printError } from '../../output/print.ts'
import { removeIfInterrupted } from './removeIfInterrupted.ts'
import { openTarget, type Target } from './target.ts'

/** Writes the state of a block to a file, and that to where it must be. The chunks lie beside it until all are there. */
export const exportSnapshot = async (
  { home }: Config,
  to: string,
  wanted: number | undefined,
): Promise<void> => {
  const path = dataFile(home)
  if (!existsSync(path)) throw badFile(`${path} does not exist`)
  const started = performance.now()
  await assertSoundData(path)
  const environment = new LmdbEnvironment({ path, readOnly: true })
  let folder: string | undefined
  let target: Target | undefined
  try {
    const blocks = new BlockStoreReader(environment)
    const config = blocks.meta.config()
    const height = wanted ?? blocks.head()?.number
    if (config === undefined || height === undefined || height === 0)
      throw badFile('the chain has no block above its first: there is no snapshot of that')
    target = openTarget(to, `${height}.snapshot`)
    const file = target.path
    folder = mkdtempSync(join(dirname(resolve(file)), '.perihelion-snapshot-'))
    const chain = parseChainConfig(JSON.parse(config))
    const chunks = folder
    await removeIfInterrupted([chunks, ...target.temporary], async () => {
      await createSnapshot(environment, chain, { folder: chunks, height })
      await packSnapshot(chunks, height, file)
    })
    const hash = blocks.blockHashAt(height)
    const bytes = statSync(file).size
    const place = await target.deliver()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    print`exported height=${height} hash=${hash === undefined ? '' : toHex(hash)} bytes=${bytes} seconds=${seconds} to ${place}\n`
    // It is whole all the same: somebody may want to keep it, or to compare.
    if (parseValidatorConfig(chain.source) !== undefined)
      printError`perihelion: a chain with validators: no home begins with this file, its nodes join by state sync (docs/operations.md)\n`
  } catch (error) {
    throw error instanceof ExitError
      ? error
      : badFile(`the snapshot cannot be written: ${(error as Error).message}`)
  } finally {
    target?.close()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    await environment.close()
  }
}
