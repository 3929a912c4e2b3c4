import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { assertSoundData } from '../../app/dataCheck.ts'
import { exportChain } from '../../app/export/chain.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { badFile } from '../../base/exit.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { dataFile } from '../../home/layout.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { configOf } from '../flags/homeConfig.ts'
import { print } from '../output/print.ts'
import { createProgress } from '../output/progress.ts'

interface ExportFlags {
  readonly home?: string
  readonly out: string
}

/**
 * Defines `perihelion export`, which writes the chain of a home as geth's files, whether or not a node runs on it.
 */
export const define = (command: Command): void => {
  command
    .requiredOption('--out <folder>', 'the folder for the two files; created if it is missing')
    .option('--home <dir>', 'the home (default: as for start)')
    .action(async ({ home, out }: ExportFlags) => {
      await runExport(configOf(home).home, out)
    })
}

const runExport = async (home: string, folder: string): Promise<void> => {
  const path = dataFile(home)
  if (!existsSync(path)) throw badFile(`${path} does not exist`)
  await assertSoundData(path)
  const environment = new LmdbEnvironment({ path, readOnly: true })
  try {
    const state = new StateStore(environment)
    const progress = createProgress({ label: 'exporting', unit: 'blocks' })
    const exported = exportChain(new BlockStoreReader(environment), state, folder, progress.step)
    const { number, hash } = await exported.finally(() => progress.stop())
    print`exported blocks=${number} head=${number} hash=${toHex(hash)} to ${folder}\n`
  } catch (error) {
    const isActionable = error instanceof Error && ['ExportError', 'StoreError'].includes(error.name)
    throw isActionable ? badFile(error.message) : error
  } finally {
    await environment.close()
  }
}
