import type { Command } from 'commander'
import { endSpareWorker } from '../base/threads/builtFiles.ts'
import { loadNodeConfig } from '../service/nodeConfig.ts'
import { addSettingFlags } from './flags.ts'

/** Defines `perihelion start`, which serves until a signal stops it. */
export const define = (command: Command): void => {
  addSettingFlags(command, async (flags) => {
    const load = () => loadNodeConfig({ flags, env: process.env })
    const loaded = await load()
    // Such a chain gets no thread, unless an engine needs one.
    if (loaded.config.ephemeral) void endSpareWorker('app')
    const [{ serveUntilStopped }, { openNode }] = await Promise.all([
      import('./serve.ts'),
      import('../service/openNode.ts'),
    ])
    await serveUntilStopped(loaded, openNode, { reload: async () => (await load()).config })
  })
}
