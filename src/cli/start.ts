import type { Command } from 'commander'
import { endSpareWorker } from '../base/threads/builtFiles.ts'
import { loadConfig } from '../config/load.ts'
import { addSettingFlags } from './flags.ts'

/** Defines `perihelion start`, which serves until a signal stops it. */
export const define = (command: Command): void => {
  addSettingFlags(command, async (flags) => {
    const loaded = loadConfig({ flags, env: process.env, purpose: 'node' })
    // Such a chain gets no thread, unless an engine needs one.
    if (loaded.config.ephemeral) void endSpareWorker('app')
    const [{ serveUntilStopped }, { openNode }] = await Promise.all([
      import('./serve.ts'),
      import('../service/openNode.ts'),
    ])
    await serveUntilStopped(loaded, openNode)
  })
}
