import type { Command } from 'commander'
import { endSpareWorker } from '../../base/threads/builtFiles.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { Config } from '../../config/settings/settings.ts'
import { sharedSecret } from '../../service/access/accessToken.ts'
import { makeTemporaryFolder } from '../../service/home/homeFolder.ts'
import { loadNodeConfig, reloadNodeConfig } from '../../service/settings/nodeConfig.ts'
import { addSettingFlags } from '../flags/flags.ts'
import { mayRemoveHistory, removalHelp, takeRemovalFlag } from '../serve/removalConsent.ts'

/** Defines `perihelion start`, which serves until a signal stops it. */
export const define = (command: Command): void => {
  addSettingFlags(command, async (args) => {
    const { flags, isGiven } = takeRemovalFlag(args)
    const inputs = { flags, env: process.env }
    const loaded = await loadNodeConfig(inputs)
    // Such a chain gets no thread, unless an engine needs one.
    if (loaded.config.ephemeral) void endSpareWorker('app')
    const [{ serveUntilStopped }, { openNode }] = await Promise.all([
      import('../serve/serve.ts'),
      import('../../service/start/openNode.ts'),
    ])
    const temporary = needsNoHome(loaded) ? makeTemporaryFolder() : undefined
    const placed = (config: Config): Config =>
      temporary === undefined ? config : { ...config, home: temporary.path }
    try {
      await serveUntilStopped({ ...loaded, config: placed(loaded.config) }, openNode, {
        cleanup: temporary?.remove,
        removesHistory: temporary === undefined && (await mayRemoveHistory(loaded.config, isGiven)),
        secret: temporary && sharedSecret(loaded.config.home),
        reload: async () => {
          const again = await reloadNodeConfig(inputs)
          return { ...again, config: placed(again.config) }
        },
      })
    } catch (error) {
      temporary?.remove()
      throw error
    }
  }).addHelpText('before', removalHelp)
}

/** Returns whether nothing of the node is to stay, so that it takes no home from another one, and several run at once. */
const needsNoHome = ({ config, given }: LoadedConfig): boolean => config.ephemeral && !given.has('home')
