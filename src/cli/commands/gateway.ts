import type { Command } from 'commander'
import { loadConfig } from '../../config/load.ts'
import { gatewaySettings } from '../flags/commonSettings.ts'
import { addSettingFlags } from '../flags/flags.ts'
import { expandShortFlags } from '../flags/gatewayFlags.ts'
import { mayRemoveHistory, removalHelp, takeRemovalFlag } from '../serve/removalConsent.ts'

/** Defines `perihelion gateway`, which serves the Ethereum API for an external chain until a signal stops it. */
export const define = (command: Command): void => {
  addSettingFlags(
    command,
    async (args) => {
      const { flags, isGiven } = takeRemovalFlag(args)
      const load = () => {
        const inputs = { flags: expandShortFlags(flags), env: process.env, purpose: 'gateway' } as const
        const { config, given, sources } = loadConfig(inputs)
        // The dev profile is only for chains of this process.
        return { config: { ...config, dev: false }, given, sources }
      }
      const loaded = load()
      const [{ serveUntilStopped }, { openGateway }] = await Promise.all([
        import('../serve/serve.ts'),
        import('../../service/start/openGateway.ts'),
      ])
      await serveUntilStopped(loaded, openGateway, {
        removesHistory: await mayRemoveHistory(loaded.config, isGiven),
        reload: async () => load(),
      })
    },
    gatewaySettings,
  ).addHelpText('before', removalHelp)
}
