import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { badConfig, badFile } from '../../base/exit.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { dataFile, hasChainFile } from '../../home/layout.ts'
import { KeystoreError } from '../../keystore/keystoreError.ts'
import { keystorePath } from '../../keystore/nodeKeys.ts'
import { checkFolder } from '../../keystore/privateFiles.ts'
import { assertSecretUsable } from '../../rpc/access/secret.ts'
import { readAccessFiles } from '../access/accessFiles.ts'
import { readConfiguredGenesis } from '../genesis/configuredGenesis.ts'
import { assertUsableGenesis } from '../genesis/usableGenesis.ts'
import { assertHomeUsable } from '../home/homeFolder.ts'

/** What is known of a start that may be rejected. */
export type PlannedStart = Pick<LoadedConfig, 'config' | 'given'> &
  Partial<Pick<LoadedConfig, 'mode'>> & {
    /** Whether a node runs on the home already, as `doctor` may find it. */
    readonly isRunning?: boolean
    /** Whether the operator allowed the start to remove history that the settings no longer keep. */
    readonly removesHistory?: boolean | undefined
  }

/** One reason to reject a start. The start runs these checks, and so does `doctor`, which shows what they throw. */
export interface StartCheck {
  /** What is looked at, as `doctor` names it. */
  readonly name: string
  /** Throws an ExitError if a start would end here. Changes nothing. */
  readonly assert: (planned: PlannedStart) => void | Promise<void>
  /** Whether the start finds it by the same code when it opens the chain, so that it is not looked at twice. */
  readonly isOfOpening?: true
}

/** The checks of every home. */
export const homeChecks: readonly StartCheck[] = [
  { name: 'home', assert: ({ config }) => assertHomeUsable(config.home) },
  { name: 'token', assert: ({ config }) => assertSecretUsable(config.home) },
  {
    name: 'keystore',
    assert: ({ config }) => {
      try {
        for (const folder of [keystorePath(config.home), join(config.home, 'wallets')]) checkFolder(folder)
      } catch (error) {
        throw error instanceof KeystoreError ? badFile(error.message) : error
      }
    },
  },
  {
    name: 'access',
    assert: async ({ config }) => {
      await readAccessFiles(config)
    },
  },
  {
    name: 'history',
    assert: async ({ config, removesHistory }) => {
      if (removesHistory) return
      const { assertHistoryKept } = await import('./removals.ts')
      await assertHistoryKept(config)
    },
  },
]

/** The checks of a node, after those of its home. */
export const nodeChecks: readonly StartCheck[] = [
  {
    name: 'genesis',
    assert: async ({ config, given }) => {
      // A chain that was begun has its rules, and is another check.
      if (hasChainFile(config.home)) return
      const file = readConfiguredGenesis({ config, given })
      if (file !== undefined && config.engine !== 'none')
        await assertUsableGenesis(file.genesis, config.engine)
    },
  },
  {
    name: 'chain of the home',
    isOfOpening: true,
    assert: async ({ config, given }) => {
      if (config.ephemeral || !hasChainFile(config.home)) return
      const file = readConfiguredGenesis({ config, given })
      const [{ findStoredConflicts }, { givenChain }, { deriveDevKeys }] = await Promise.all([
        import('../../app/storedConflicts.ts'),
        import('../genesis/givenChain.ts'),
        import('../genesis/devAccounts.ts'),
      ])
      const expected = givenChain(config, given, deriveDevKeys(config))
      const compared = given.has('genesis') ? file?.genesis : undefined
      const conflicts = await findStoredConflicts(config.home, expected, compared)
      if (conflicts.length > 0) throw badConfig(conflicts.join('; '))
    },
  },
  {
    name: 'engine',
    assert: async ({ config }) => {
      const folder = join(config.home, 'engine')
      if (config.engine !== 'cometbft' || config.abciAddress !== undefined) return
      const { configPath } = await import('../../engine/cometbft/process/home.ts')
      const { readEngineConfig } = await import('../../engine/cometbft/process/readConfig.ts')
      if (existsSync(configPath({ folder }))) readEngineConfig(folder)
    },
  },
  {
    name: 'blocks of the engine',
    assert: async ({ config }) => {
      const { engine, abciAddress, home } = config
      if (engine !== 'cometbft' || abciAddress !== undefined || !hasChainFile(home)) return
      const { assertStoresKept } = await import('../../engine/cometbft/process/stores.ts')
      await assertStoresKept(join(home, 'engine'), async () => {
        const { readNewest } = await import('../../app/dataSummary.ts')
        // A file that cannot be read is reported by what opens it.
        const { head } = await readNewest(dataFile(home)).catch(() => ({ head: undefined }))
        return head ?? 0
      })
    },
  },
  {
    name: 'validator key',
    assert: async (planned) => {
      if (!(await signsHere(planned))) return
      const { findMissingKey, readKey, validatorKeyPath } = await import(
        '../../engine/cometbft/process/home.ts'
      )
      const folder = join(planned.config.home, 'engine')
      const missing = findMissingKey(folder, planned.mode?.engine === 'cometbft')
      if (missing !== undefined) throw badConfig(missing)
      if (existsSync(validatorKeyPath(folder))) readKey(validatorKeyPath(folder))
    },
  },
  {
    name: 'node key',
    assert: async ({ config }) => {
      if (config.engine !== 'cometbft') return
      const { nodeKeyPath, readKey } = await import('../../engine/cometbft/process/home.ts')
      const path = nodeKeyPath(join(config.home, 'engine'))
      if (existsSync(path)) readKey(path)
    },
  },
  {
    name: 'signing record',
    assert: async (planned) => {
      if (!(await signsHere(planned))) return
      const { readKey, validatorKeyPath } = await import('../../engine/cometbft/process/home.ts')
      const folder = join(planned.config.home, 'engine')
      if (!existsSync(validatorKeyPath(folder))) return
      const { assertRecordFits } = await import('../../engine/cometbft/signing/recordCheck.ts')
      assertRecordFits(folder, readKey(validatorKeyPath(folder)))
    },
  },
  {
    name: 'key in use',
    assert: async (planned) => {
      // The node that runs on this home has the key.
      if (planned.isRunning || !(await signsHere(planned))) return
      const { readKey, validatorKeyPath } = await import('../../engine/cometbft/process/home.ts')
      const path = validatorKeyPath(join(planned.config.home, 'engine'))
      if (!existsSync(path)) return
      const { assertKeyUnused } = await import('../../engine/cometbft/signing/keyLock.ts')
      await assertKeyUnused(readKey(path))
    },
  },
]

/** Whether CometBFT signs with the key of the home: it is ours, and no remote signer has the key. */
const signsHere = async ({ config, given }: PlannedStart): Promise<boolean> => {
  if (config.engine !== 'cometbft' || config.abciAddress !== undefined) return false
  if (given.has('priv-validator-laddr')) return config.privValidatorLaddr === undefined
  const { configPath } = await import('../../engine/cometbft/process/home.ts')
  const { readEngineConfig } = await import('../../engine/cometbft/process/readConfig.ts')
  const folder = join(config.home, 'engine')
  return !existsSync(configPath({ folder })) || readEngineConfig(folder).remoteSigner === undefined
}

/** Throws the ExitError of the first check that fails, before a chain is opened. */
export const assertAll = async (checks: readonly StartCheck[], planned: PlannedStart): Promise<void> => {
  for (const { assert, isOfOpening } of checks) if (!isOfOpening) await assert(planned)
}
