import { createReadStream, statSync } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { Command } from 'commander'
import { type ImportProgress, importFile } from '../../../app/import/file.ts'
import { toHex } from '../../../base/encoding/hex.ts'
import { badConfig, badFile } from '../../../base/exit.ts'
import { lockHome } from '../../../base/lock/homeLock.ts'
import { UnknownForkError } from '../../../chain/config/liveConfig.ts'
import { GenesisConflictError } from '../../../chain/genesis/conflicts.ts'
import { readGenesisFile } from '../../../chain/genesis/genesisFile.ts'
import { loadConfig } from '../../../config/load.ts'
import type { Config } from '../../../config/settings/settings.ts'
import { ensureHome } from '../../../service/home/homeFolder.ts'
import { createImportSenders } from '../../../service/offline/importSenders.ts'
import { print } from '../../output/print.ts'
import { createProgress } from '../../output/progress.ts'
import { assertNotCometHome } from './cometHome.ts'
import { openImport } from './store.ts'

interface ImportFlags {
  readonly genesis?: string
  readonly home?: string
  readonly pruning?: string
}

/** Defines `perihelion import`, which executes and verifies a chain from a file and writes it to a home. */
export const define = (command: Command): void => {
  command
    .argument('<chain.rlp>', "blocks in geth's export format; a .gz file is unpacked")
    .option('--genesis <file>', "geth's genesis file; needed where the home has no chain yet")
    .option('--home <dir>', 'the home (default: as for start)')
    .option('--pruning <mode>', 'which states are kept (default: as for start)')
    .action(async (file: string, { genesis, ...settings }: ImportFlags) => {
      const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
      const { config } = loadConfig({ flags, env: process.env })
      await runImport(config, file, genesis)
    })
}

const runImport = async (config: Config, file: string, genesisFile: string | undefined): Promise<void> => {
  const fileBytes = sizeOf(file)
  const genesis = genesisFile === undefined ? undefined : readGenesisFile(genesisFile)
  assertNotCometHome(config.home)
  ensureHome(config.home)
  const unlock = lockHome(config.home)
  try {
    const { pruning, minFreeSpace: minFreeBytes } = config
    const storeOptions = { pruning, appearances: config.index.appearances, minFreeBytes }
    const session = await openImport(config.home, storeOptions, genesis)
    const progress = createProgress({ label: 'importing' })
    const senders = createImportSenders()
    const started = performance.now()
    try {
      const source = createReadStream(file, { highWaterMark: 2 ** 20 })
      const chunks = file.endsWith('.gz') ? source.pipe(createGunzip()) : source
      const done = await importFile(session.importer, session.blocks, chunks, {
        recoverSender: (transaction, fork) => senders.recoverSender(transaction, fork),
        onProgress: (step) => progress.step(source.bytesRead, fileBytes, describeStep(step, started)),
      })
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      const { header, hash } = session.importer.head
      print`imported blocks=${done.blocks} transactions=${done.transactions} gas=${done.gas} seconds=${seconds} head=${header.number} hash=${toHex(hash)}\n`
    } finally {
      progress.stop()
      await senders.close()
      await session.close()
    }
  } catch (error) {
    throw toExitError(error)
  } finally {
    unlock()
  }
}

/** Returns where an import is, and how fast. */
const describeStep = ({ number, blocks, gas }: ImportProgress, started: number): string => {
  const seconds = (performance.now() - started) / 1000
  return `block ${number}, ${Math.round(blocks / seconds)} blocks/s, ${Math.round(Number(gas) / 1e6 / seconds)} Mgas/s`
}

const sizeOf = (file: string): number => {
  try {
    return statSync(file).size
  } catch (error) {
    throw badFile(`${file} cannot be read: ${(error as Error).message}`)
  }
}

/** The names of errors about files and disks, which an operator can act on. */
const operatorErrors = new Set([
  'InvalidBlockError',
  'ChainFileError',
  'GenesisError',
  'StoreError',
  'LowSpaceError',
  'PoisonedError',
])

const toExitError = (error: unknown): unknown => {
  if (error instanceof UnknownForkError || error instanceof GenesisConflictError)
    return badConfig(error.message)
  return error instanceof Error && operatorErrors.has(error.name) ? badFile(error.message) : error
}
