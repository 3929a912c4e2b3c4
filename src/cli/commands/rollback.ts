import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { Application } from '../../app/application.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { badFile, badUsage, ExitError, internalFailure } from '../../base/exit.ts'
import { checkDataFile } from '../../base/lmdb/file/check.ts'
import { damagedFile } from '../../base/lmdb/file/damage.ts'
import {
  isDamageError,
  isLmdbError,
  LmdbEnvironment,
  LowSpaceError,
  PoisonedError,
} from '../../base/lmdb/lmdb.ts'
import { lockHome } from '../../base/lock/homeLock.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import type { Config } from '../../config/settings/settings.ts'
import { createEvm } from '../../evm/evm.ts'
import { loadEvmModules } from '../../evm/host/evmModules.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { dataFile, isGatewayHome } from '../../home/layout.ts'
import { forgetReverted } from '../../service/offline/forgetReverted.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { StoreError } from '../../store/tables/chainMeta.ts'
import { configOf } from '../flags/homeConfig.ts'
import { print } from '../output/print.ts'

interface RollbackFlags {
  readonly home?: string
  readonly to?: string
}

const help = `
The node must be stopped. Deletes state, blocks, receipts and indexes above the height, in one transaction.
Local transactions of those blocks do not come back to the pool.

When it is needed: CometBFT rejects an application that is ahead of it ("app block height is higher than core"), which
happens if engine/data was restored from an older copy than data/chain.mdb. With the application back at CometBFT's
height or below, CometBFT replays what is missing from the blocks that it has and gets the rest from its peers: the same blocks
again, because they were final. Never put an older priv_validator_state.json beside it on a validator: it would sign those
heights a second time. On a chain of one validator there are no peers, and blocks that CometBFT lost are lost.

One height back is always possible if its state and its block are retained (see --pruning and --min-retain-blocks); a home
that joined from a snapshot cannot be reverted below it.
`

/** Defines `perihelion rollback`, which reverts the newest block, or those above a height. */
export const define = (command: Command): void => {
  command
    .option('--home <dir>', 'the home (default: as for start)')
    .option('--to <height>', 'the height that becomes the head (default: one below it)')
    .addHelpText('after', help)
    .action(async ({ home, to }: RollbackFlags) => {
      await runRollback(configOf(home), to === undefined ? undefined : parseHeight(to))
    })
}

const runRollback = async (
  { home, minFreeSpace }: Pick<Config, 'home' | 'minFreeSpace'>,
  to: number | undefined,
): Promise<void> => {
  const path = dataFile(home)
  if (!existsSync(path)) throw badFile(`${path} does not exist`)
  if (isGatewayHome(home))
    throw badUsage(
      `${home} is the home of a gateway, whose blocks come from the nodes of its chain: nothing can be reverted here; if the file is damaged, remove ${path}, and the gateway follows the chain from the start`,
    )
  const unlock = lockHome(home)
  let environment: LmdbEnvironment
  try {
    environment = new LmdbEnvironment({ path, minFreeBytes: minFreeSpace })
  } catch (error) {
    unlock()
    throw error
  }
  try {
    const state = new StateStore(environment)
    const blocks = new BlockStore(environment)
    const head = blocks.head()
    const config = blocks.meta.config()
    if (head === undefined || config === undefined) throw badFile(`${path} has no chain`)
    const target = to ?? head.number - 1
    const oldest = Math.max(state.oldest ?? 0, blocks.meta.oldestBody() === 1 ? 0 : blocks.meta.oldestBody())
    if (target < oldest || target > head.number)
      throw badUsage(`${home} is at ${head.number} and can go back to ${oldest}, not to ${target}`)
    const evm = createEvm(await loadEvmModules(), precompilesAt)
    const app = new Application(parseChainConfig(JSON.parse(config)), {
      environment,
      state,
      blocks,
      evm,
    })
    forgetReverted(dirname(path), (hash) => (blocks.locate(hash)?.number ?? 0) > target)
    const { header, hash } = await app.rollback(target)
    print`rolled back blocks=${head.number - target} head=${header.number} hash=${toHex(hash)}\n`
  } catch (error) {
    throw explainFailure(error, path)
  } finally {
    await environment.close()
    unlock()
  }
}

/** Returns the error for the operator. A file is called damaged only if LMDB says so or its pages show it. */
const explainFailure = (error: unknown, path: string): ExitError => {
  if (error instanceof ExitError) return error
  const { message, syscall } = error as NodeJS.ErrnoException
  if (error instanceof LowSpaceError || error instanceof PoisonedError || error instanceof StoreError)
    return badFile(message)
  // A file beside it, such as the journal of the pool.
  if (syscall !== undefined) return badFile(message)
  if (isDamageError(error)) return damagedFile(path, [message])
  if (isLmdbError(error)) return badFile(`${path} cannot be used: ${message}`)
  const { problems } = checkDataFile(path)
  if (problems.length > 0) return damagedFile(path, problems)
  return internalFailure(
    `the rollback failed: ${message}: \`perihelion db check\` tells whether it is the data`,
  )
}

const parseHeight = (text: string): number => {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw badUsage(`--to: got ${JSON.stringify(text)}, wanted a height`)
}
