import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { addSettingFlags } from './flags.ts'

/** Defines `perihelion start`, which serves until a signal stops it. */
export const define = (command: Command): void => {
  addSettingFlags(command, async (flags) => {
    const loaded = loadConfig({ flags, env: process.env, purpose: 'node' })
    const [{ serveUntilStopped }, { openNode }] = await Promise.all([
      import('./serve.ts'),
      import('../service/openNode.ts'),
    ])
    await serveUntilStopped(loaded, openNode)
  })
}
