import type { Command } from 'commander'
import { prestartWorker } from '../base/threads/builtFiles.ts'
import { loadConfig } from '../config/load.ts'
import { addSettingFlags } from './flags.ts'

/** Defines `perihelion start`, which serves until a signal stops it. */
export const define = (command: Command): void => {
  addSettingFlags(command, async (flags) => {
    const loaded = loadConfig({ flags, env: process.env, purpose: 'node' })
    // After the settings, so that what is wrong with them is told at once.
    prestartWorker('application')
    const [{ serveUntilStopped }, { openNode }] = await Promise.all([
      import('./serve.ts'),
      import('../service/openNode.ts'),
    ])
    await serveUntilStopped(loaded, openNode)
  })
}
